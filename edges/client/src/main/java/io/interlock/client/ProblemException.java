package io.interlock.client;

import io.interlock.InterlockException;
import io.interlock.service.Facts;
import java.time.Duration;
import java.util.Optional;

/** A server answered a request with a problem (RFC 9457). {@link #code()} says which, as in {@code docs/problems.md}. */
public final class ProblemException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private static final int TOO_MANY = 429;
    private static final int FAULT = 500;

    private final String path;
    private final int status;
    private final transient Facts problem;

    ProblemException(String path, int status, Facts problem) {
        super(sentence(problem).orElse("the server answered with " + status));
        this.path = path;
        this.status = status;
        this.problem = problem;
    }

    /** The path of the request, below {@code /api/v1}. */
    public String path() {
        return path;
    }

    /** The status code of HTTP. */
    public int status() {
        return status;
    }

    /** The members of the problem; empty if the answer was none. */
    public Facts problem() {
        return problem;
    }

    /** The problem's code; empty if the answer was no problem. */
    @Override
    public String code() {
        return problem.shown("code");
    }

    /** When to ask again, if the server says so. */
    public Optional<Duration> retryAfter() {
        return problem.number("retryAfterMs").stream()
                .mapToObj(Duration::ofMillis)
                .findFirst();
    }

    /** Whether it is no answer to the question: the server stops, has lost its store, or is asked too much. */
    public boolean isTransient() {
        return isTransient(status);
    }

    static boolean isTransient(int status) {
        return status == TOO_MANY || status >= FAULT;
    }

    /** What a problem says to people; empty if it says nothing. */
    public static Optional<String> sentence(Facts problem) {
        Optional<String> mistakes = problem.list("errors").stream()
                .map(each -> {
                    // Without its place in the request, which the caller does not know.
                    String place = each.shown("pointer").replaceFirst("^(query)?/", "");
                    return (place.isEmpty() ? "" : place + ": ") + each.shown("detail");
                })
                .reduce((one, other) -> one + "; " + other);
        return mistakes.or(() -> problem.text("explanation"))
                .or(() -> problem.text("detail"))
                .or(() -> problem.text("title"))
                .map(text -> text.replaceAll("\\R", " "));
    }
}
