package io.interlock.server.problem;

import io.interlock.InterlockException;

/** Ends the handling of a request with a problem. */
public final class ProblemException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    ProblemException(Problem problem) {
        super(problem.code().code() + ": " + problem.detail());
        this.problem = problem;
    }

    /** Nothing: a problem is an answer, and the log needs no place in the code where it was found out. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }

    @Override
    public String code() {
        return problem.code().code();
    }

    /** What to answer. */
    public Problem problem() {
        return problem;
    }
}
