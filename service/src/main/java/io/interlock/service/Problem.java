package io.interlock.service;

import io.interlock.InterlockException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One occurrence of a problem of the REST API: its code, one sentence, and facts for programs. Throw it to refuse an operation. Not safe for
 * use by many threads while facts are added.
 */
public final class Problem extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final ProblemCode kind;
    private final transient Facts facts = Facts.none();
    private @Nullable Duration retryAfter;

    private Problem(ProblemCode kind, String detail) {
        super(detail);
        this.kind = kind;
    }

    /**
     * A mistake in a request.
     *
     * @param pointer where: a JSON pointer into the body, or {@code query/name}, {@code path/name}, {@code header/name}
     */
    public record Mistake(String pointer, String detail) {}

    /** A problem without facts, about which {@code detail} says all. */
    public static Problem of(ProblemCode kind, String detail) {
        return new Problem(kind, detail);
    }

    /** The answer to ids that are unknown, malformed or another tenant's: all the same. */
    public static Problem notFound(String what, String id) {
        return of(ProblemCode.NOT_FOUND, "There is no " + what + " " + id + ".");
    }

    /** A request with mistakes, at least one. */
    public static Problem invalid(List<Mistake> mistakes) {
        String detail = mistakes.size() == 1
                ? "The request has 1 mistake."
                : "The request has " + mistakes.size() + " mistakes.";
        return of(ProblemCode.INVALID_REQUEST, detail)
                .with(
                        "errors",
                        mistakes.stream()
                                .map(mistake ->
                                        Facts.with("pointer", mistake.pointer()).and("detail", mistake.detail()))
                                .toList());
    }

    /** A request with one mistake. */
    public static Problem invalid(String pointer, String detail) {
        return invalid(List.of(new Mistake(pointer, detail)));
    }

    /** With a fact that is there even if its value is {@code null}. */
    public Problem with(String name, @Nullable Object value) {
        facts.orNull(name, value);
        return this;
    }

    /** With all of {@code more}. */
    public Problem with(Facts more) {
        facts.merge(more);
        return this;
    }

    public Problem retryAfter(Duration delay) {
        retryAfter = delay;
        return this;
    }

    public ProblemCode kind() {
        return kind;
    }

    @Override
    public String code() {
        return kind.code();
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

    /** Does nothing: a problem is an answer, and the log needs no place in the code. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
