package io.interlock.server.launch;

/** How the process ends, in the numbers of {@code sysexits.h}. */
final class ExitCode {

    /** It was told to stop, and did. */
    static final int OK = 0;

    /** The command line is wrong. */
    static final int USAGE = 64;

    /** The store or the port cannot be had now. */
    static final int UNAVAILABLE = 69;

    /** The configuration is wrong. */
    static final int CONFIGURATION = 78;

    /** Interlock itself failed. */
    static final int FAILED = 125;

    private ExitCode() {}
}
