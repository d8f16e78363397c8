package io.interlock.engine.http;

import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Tells whether a message was signed by a sender that knows a secret. Implementations are safe for use by many threads. */
public interface SignatureCheck {

    /** The header, in small letters, without which a message is not signed in this way. */
    String header();

    /** Where the signed body has the id of its event, if this kind of message says so. */
    Optional<String> eventIdPath();

    /**
     * Whether a message was signed with one of the secrets, not long ago.
     *
     * @param header gives a header by its name in small letters, or {@code null}
     */
    boolean verify(Function<String, @Nullable String> header, byte[] body);
}
