package io.interlock.run;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a store says to whoever says where a resource stands. */
public sealed interface ResourceAnswer {

    /**
     * It stands there now.
     *
     * @param resource with its new version
     */
    record Changed(Resource resource) implements ResourceAnswer {}

    /**
     * It has another version, or a run moves it, or its key is held and the request wanted it free; nothing was changed.
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
