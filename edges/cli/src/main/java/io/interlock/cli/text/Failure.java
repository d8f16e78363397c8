package io.interlock.cli.text;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.cli.text.Shown.ShellWords;
import io.interlock.client.ProblemException;
import io.interlock.client.UnreachableException;
import io.interlock.client.UnreachableException.Cause;
import io.interlock.service.Facts;
import io.interlock.service.Problem;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A command cannot be carried out: one line of cause, one line of what to do, and the exit code. */
public final class Failure extends InterlockException {

    private static final long serialVersionUID = 1L;

    private static final int FORBIDDEN = 403;

    private static final Set<String> HELD = Set.of("lock-held", "lock-delayed", "key-paused", "wrong-state");

    /** What to do about a store that keeps leases only. */
    public static final String RUN_STORE = "use a store of runs, of a server too: sqlite:PATH or postgresql://…";

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

    /** {@code failure}, with what a user or script must know of it. */
    public static Failure of(InterlockException failure) {
        if (failure instanceof Failure told && told.nextStep != null) {
            return told;
        }
        if (failure instanceof StoreUnavailableException && failure.getCause() instanceof InterlockException cause) {
            return of(cause);
        }
        if (failure instanceof UnreachableException silent) {
            boolean settings = silent.reason() == Cause.SETTINGS || silent.reason() == Cause.REDIRECTS;
            return new Failure(
                    settings ? ExitCode.CONFIGURATION : ExitCode.UNAVAILABLE,
                    silent.code(),
                    String.valueOf(silent.getMessage()),
                    silent.nextStep());
        }
        if (failure instanceof ProblemException problem) {
            int known = ExitCode.of(problem.code());
            int exitCode = known == ExitCode.FAILED ? exitCodeOf(problem.status()) : known;
            String code = problem.code().isEmpty() ? ExitCode.word(exitCodeOf(problem.status())) : problem.code();
            String cause = String.valueOf(problem.getMessage());
            // The step fits what the server said, and not the name that a proxy's answer gets here.
            String said = problem.code().isEmpty() && problem.status() == FORBIDDEN ? "forbidden" : problem.code();
            return new Failure(exitCode, code, cause, nextStep(exitCode, said, problem.path(), problem.problem()));
        }
        if (failure instanceof Problem refused) {
            return refused(refused, "");
        }
        // Other messages end with what to do.
        String message = firstLine(failure.getMessage());
        int next = message.lastIndexOf("; ");
        if (next >= 0) {
            return new Failure(
                    exitCodeOf(failure), failure.code(), message.substring(0, next), message.substring(next + 2));
        }
        String otherwise = failure instanceof StoreUnavailableException
                ? "see whether it runs, and whether --store or INTERLOCK_STORE names it"
                : null;
        return new Failure(exitCodeOf(failure), failure.code(), message, otherwise);
    }

    public static String firstLine(@Nullable String text) {
        return text == null ? "no reason given" : text.lines().findFirst().orElse("");
    }

    private static int exitCodeOf(InterlockException failure) {
        if (failure instanceof Failure told) {
            return told.exitCode;
        }
        int known = ExitCode.of(failure.code());
        boolean isPlace = failure instanceof InvalidSettingException setting
                && List.of("store", "config").contains(setting.setting());
        return failure instanceof UnsafeStoreException || (isPlace && known == ExitCode.USAGE)
                ? ExitCode.CONFIGURATION
                : known;
    }

    private static int exitCodeOf(int status) {
        return switch (status) {
            case 400, 413, 422 -> ExitCode.USAGE;
            case 401, 403 -> ExitCode.DENIED;
            case 404 -> ExitCode.UNKNOWN;
            case 409, 429 -> ExitCode.BUSY;
            case 410 -> ExitCode.LEASE_LOST;
            case 412 -> ExitCode.STALE;
            case 502, 503, 504 -> ExitCode.UNAVAILABLE;
            default -> status < 500 ? ExitCode.FAILED : ExitCode.INTERNAL;
        };
    }

    /** The refusal of a request at {@code path}, in the words that one of a server has. */
    public static Failure refused(Problem refusal, String path) {
        int exitCode = ExitCode.of(refusal.code());
        String cause = ProblemException.sentence(refusal.facts()).orElseGet(refusal::detail);
        return new Failure(exitCode, refusal.code(), cause, nextStep(exitCode, refusal.code(), path, refusal.facts()));
    }

    private static String nextStep(int exitCode, String code, String path, Facts problem) {
        String locks = "interlock locks "
                + problem.text("key")
                        .map(key -> "show " + ShellWords.join(List.of(key)))
                        .orElse("ls");
        return switch (exitCode) {
            case ExitCode.DENIED ->
                code.equals("forbidden")
                        ? "use a key with a higher role; interlock keys ls --store … shows them"
                        : "set INTERLOCK_API_KEY, or name the file that holds the key with --api-key-file";
            case ExitCode.UNKNOWN ->
                path.startsWith("/resources")
                        ? "interlock resources set adopts one that exists already"
                        : "interlock " + noun(code, path) + " ls shows those there are";
            case ExitCode.BUSY ->
                HELD.contains(code)
                        ? locks + (isSubmission(path) ? "; or submit with --on-conflict queue" : "")
                        : "try again later";
            case ExitCode.LEASE_LOST -> "stop the work, and acquire anew";
            case ExitCode.STALE ->
                switch (code) {
                    case "run-finished" -> "there is nothing to do";
                    case "not-dead" -> "interlock dead ls lists the dead letters";
                    default -> "look again, by " + locks + ", then repeat it with what you see";
                };
            case ExitCode.UNAVAILABLE -> "try again later";
            case ExitCode.CONFIGURATION -> RUN_STORE;
            case ExitCode.INTERNAL -> "the server's log knows more";
            default -> "--help shows how it is written";
        };
    }

    private static boolean isSubmission(String path) {
        return path.equals("/runs") || path.endsWith("/rerun");
    }

    private static String noun(String code, String path) {
        return code.equals("unknown-job")
                ? "jobs"
                : path.startsWith("/keys") ? "keys" : path.startsWith("/locks") ? "locks" : "runs";
    }

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
