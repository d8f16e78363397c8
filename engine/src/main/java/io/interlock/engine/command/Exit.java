package io.interlock.engine.command;

import java.util.List;

/** How a command ended. */
public record Exit(Kind kind, int number) {

    public enum Kind {
        /** It ended by itself. */
        EXITED,
        /** A signal ended it. Where {@code setsid} cannot wait (see {@link GuardedProcess}) also: it exited with 128 + N. */
        SIGNALLED,
        /** It is no program, or one that may not be executed. */
        NOT_EXECUTABLE,
        /** There is no such program, or what it needs to be executed is missing. */
        NOT_FOUND,
        /** It was never begun. */
        NOT_STARTED
    }

    /** Of signals on Linux, from 1 on. */
    private static final List<String> NAMES = List.of(
            "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",
            "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ");

    static final int CANNOT_START = 125;
    static final int CANNOT_EXECUTE = 126;
    static final int CANNOT_FIND = 127;

    static Exit exited(int code) {
        return new Exit(Kind.EXITED, code);
    }

    static Exit signalled(int signal) {
        return new Exit(Kind.SIGNALLED, signal);
    }

    /** Never became the command; {@code code} is 126 or 127. */
    static Exit unexecuted(int code) {
        return new Exit(code == CANNOT_EXECUTE ? Kind.NOT_EXECUTABLE : Kind.NOT_FOUND, code);
    }

    /** What a shell would answer: the exit code, 126, 127, or 128 + the number of the signal. */
    public int code() {
        return kind == Kind.SIGNALLED ? 128 + number : number;
    }

    public boolean succeeded() {
        return kind == Kind.EXITED && number == 0;
    }

    /** For people: {@code exit code 3}, {@code signal 9 (KILL)}. */
    @Override
    public String toString() {
        return switch (kind) {
            case EXITED -> "exit code " + number;
            case SIGNALLED ->
                "signal " + number + (number > 0 && number <= NAMES.size() ? " (" + NAMES.get(number - 1) + ")" : "");
            case NOT_EXECUTABLE -> "not executable (exit code 126)";
            case NOT_FOUND -> "not found (exit code 127)";
            case NOT_STARTED -> "not started (exit code 125)";
        };
    }
}
