package io.interlock.cli;

/**
 * What archives of classes for a faster start are made from: a command after a run through a server that is not there, as far as that comes.
 * An archive has the classes of one process, and users start runs of both kinds.
 */
final class Rehearsal {

    private static final String[] THROUGH_A_SERVER = {
        "run", "-n", "trial", "--server", "http://127.0.0.1:1", "--", "true"
    };

    private Rehearsal() {}

    /** Carries out a command and ends this process with its exit code. */
    public static void main(String[] arguments) {
        Main.carryOut(THROUGH_A_SERVER);
        Main.main(arguments);
    }
}
