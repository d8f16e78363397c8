package io.interlock.cli.text;

/** Exit codes of the command line; those of {@code run} are part of the contract with scripts. */
public final class ExitCode {

    public static final int OK = 0;

    /** Asked for and not done, or the answer is no. */
    public static final int FAILED = 1;

    public static final int UNKNOWN = 3;

    /** What the command relied on is not so any more, such as a token. */
    public static final int STALE = 5;

    public static final int USAGE = 64;

    /** Store or server cannot be reached. */
    public static final int UNAVAILABLE = 69;

    /** Not acquired: busy, wait over, paused. */
    public static final int BUSY = 75;

    /** Not signed in, or not allowed. */
    public static final int DENIED = 77;

    /** The configuration does not allow it. */
    public static final int CONFIGURATION = 78;

    /** The lease was lost, and the command stopped. */
    public static final int LEASE_LOST = 121;

    /** The command took longer than it may. */
    public static final int TIMEOUT = 124;

    /** Interlock itself failed. */
    public static final int INTERNAL = 125;

    /** To this the number of a signal is added. */
    public static final int SIGNAL = 128;

    /** What it is called that something was not done, for a reason of its own. */
    public static final String NOT_DONE = "not-done";

    private ExitCode() {}

    /** What a failure with this exit code is called if it has no name of its own. */
    public static String word(int exitCode) {
        return switch (exitCode) {
            case FAILED -> NOT_DONE;
            case UNKNOWN -> "not-found";
            case STALE -> "changed";
            case USAGE -> "usage";
            case UNAVAILABLE -> "store-unavailable";
            case BUSY -> "lock-held";
            case DENIED -> "forbidden";
            case CONFIGURATION -> "configuration";
            case LEASE_LOST -> "lease-lost";
            case TIMEOUT -> "timeout";
            default -> "internal-error";
        };
    }

    /** The exit code of what is called {@code code} everywhere. */
    public static int of(String code) {
        return switch (code) {
            case "lock-held", "lock-delayed", "key-paused", "queue-full", "tenant-busy", "wrong-state" -> BUSY;
            case "store-unavailable", "store-recovering", "shutting-down" -> UNAVAILABLE;
            case "lease-lost" -> LEASE_LOST;
            case "token-stale", "run-finished", "not-dead" -> STALE;
            case "unknown-job", "not-found" -> UNKNOWN;
            case "idempotency-mismatch", "invalid-request" -> USAGE;
            case "unauthenticated", "forbidden" -> DENIED;
            case "needs-run-store" -> CONFIGURATION;
            default -> FAILED;
        };
    }
}
