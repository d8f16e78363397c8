package io.interlock.cli.text;

import io.interlock.InterlockException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A command cannot be carried out: one line of cause, one line of what to do, and the exit code. */
public final class Failure extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final String code;
    private final @Nullable String nextStep;

    /**
     * A failure.
     *
     * @param nextStep what to do about it, in one line, or {@code null} if that is unknown
     */
    public Failure(int exitCode, String cause, @Nullable String nextStep) {
        this(exitCode, ExitCode.word(exitCode), cause, nextStep);
    }

    /**
     * A failure that has a name everywhere.
     *
     * @param code for programs, as in problems of the REST interface
     * @param nextStep what to do about it, in one line, or {@code null} if that is unknown
     */
    public Failure(int exitCode, String code, String cause, @Nullable String nextStep) {
        super(cause);
        this.exitCode = exitCode;
        this.code = code;
        this.nextStep = nextStep;
    }

    public static Failure usage(String cause, String nextStep) {
        return new Failure(ExitCode.USAGE, cause, nextStep);
    }

    public static Failure unknown(String cause, String nextStep) {
        return new Failure(ExitCode.UNKNOWN, cause, nextStep);
    }

    /** What happened, in one line. */
    public String what() {
        return String.valueOf(getMessage());
    }

    public int exitCode() {
        return exitCode;
    }

    @Override
    public String code() {
        return code;
    }

    public Optional<String> nextStep() {
        return Optional.ofNullable(nextStep);
    }
}
