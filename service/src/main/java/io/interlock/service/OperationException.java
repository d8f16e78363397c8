package io.interlock.service;

import io.interlock.InterlockException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operation was refused: one of the problems of the REST API by its code, one sentence, and facts for programs. Not safe for use by many
 * threads while facts are added.
 */
public final class OperationException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final String code;
    private final transient Facts facts = Facts.none();
    private @Nullable Duration retryAfter;

    private OperationException(String code, String detail) {
        super(detail);
        this.code = code;
    }

    /** A refusal about which {@code detail} says all. */
    public static OperationException of(String code, String detail) {
        return new OperationException(code, detail);
    }

    /** The answer to ids that are unknown, malformed or another tenant's: all the same. */
    public static OperationException notFound(String what, String id) {
        return of("not-found", "There is no " + what + " " + id + ".");
    }

    /**
     * A request with a mistake.
     *
     * @param place a JSON pointer into the body, or {@code query/NAME}
     */
    public static OperationException invalid(String place, String detail) {
        return of("invalid-request", "The request has 1 mistake.")
                .with("errors", List.of(Facts.with("pointer", place).and("detail", detail)));
    }

    /** With a fact that is there even if its value is {@code null}. */
    public OperationException with(String name, @Nullable Object value) {
        facts.orNull(name, value);
        return this;
    }

    OperationException with(Facts more) {
        facts.merge(more);
        return this;
    }

    OperationException retryAfter(Duration delay) {
        retryAfter = delay;
        return this;
    }

    @Override
    public String code() {
        return code;
    }

    /** One sentence about this case. */
    public String detail() {
        return String.valueOf(getMessage());
    }

    /** What programs should know beside the code. */
    public Facts facts() {
        return facts;
    }

    /** When to try again; {@code null} if that is unknown or makes no sense. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    /** Does nothing: a refusal is an answer, and the log needs no place in the code. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
