package io.interlock.run;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The answer of a store to a change of a resource. */
public sealed interface ResourceAnswer {

    /** The state was set. */
    record Changed(Resource resource) implements ResourceAnswer {}

    /**
     * It has another version, a run owns it, or its key is held and the request required a free key; nothing was
     * changed.
     *
     * @param resource as it is, or {@code null} if there is none
     */
    record Mismatch(@Nullable Resource resource) implements ResourceAnswer {

        /** The resource as it is, if there is one. */
        public Optional<Resource> current() {
            return Optional.ofNullable(resource);
        }
    }
}
