package io.interlock.engine;

import io.interlock.InterlockException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The work failed, and trying again may help: it is, if attempts are left. */
public final class TransientFailureException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final String code;
    private final @Nullable Duration rest;

    /** Failed, with a code for programs and a message for people; the next attempt comes when the job's plan says so. */
    public TransientFailureException(String code, String message) {
        this(code, message, null, null);
    }

    /** Failed because of {@code cause}; the next attempt comes after {@code rest}, if that is given. */
    public TransientFailureException(String code, String message, @Nullable Duration rest, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.rest = rest;
    }

    /** For programs: the word the work chose. */
    @Override
    public String code() {
        return code;
    }

    /** How long to rest before the next attempt, if not as the job's plan says. */
    public Optional<Duration> rest() {
        return Optional.ofNullable(rest);
    }
}
