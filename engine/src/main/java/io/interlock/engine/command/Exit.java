package io.interlock.engine.command;

import java.util.Map;

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

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(1, "HUP"),
            Map.entry(2, "INT"),
            Map.entry(3, "QUIT"),
            Map.entry(4, "ILL"),
            Map.entry(6, "ABRT"),
            Map.entry(7, "BUS"),
            Map.entry(8, "FPE"),
            Map.entry(9, "KILL"),
            Map.entry(11, "SEGV"),
            Map.entry(13, "PIPE"),
            Map.entry(14, "ALRM"),
            Map.entry(15, "TERM"),
            Map.entry(24, "XCPU"),
            Map.entry(25, "XFSZ"));

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
            case SIGNALLED -> "signal " + number + (NAMES.containsKey(number) ? " (" + NAMES.get(number) + ")" : "");
            case NOT_EXECUTABLE -> "not executable (exit code 126)";
            case NOT_FOUND -> "not found (exit code 127)";
            case NOT_STARTED -> "not started (exit code 125)";
        };
    }
}
