package io.interlock.cli.backend;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.service.Facts;
import java.util.Optional;

/** What a server's problem means for whoever typed the command. */
final class ServerProblems {

    private ServerProblems() {}

    /** The failure a problem is. */
    static Failure failure(ServerClient.Answer answer) {
        int status = answer.status();
        Facts problem = answer.body();
        String cause = mistakes(problem)
                .or(() -> problem.text("explanation"))
                .or(() -> problem.text("detail"))
                .or(() -> problem.text("title"))
                .orElse("the server answered with " + status);
        String code = problem.text("code").orElseGet(() -> ExitCode.word(code(status)));
        return new Failure(exitCode(status, code), code, oneLine(cause), next(answer, code));
    }

    /** Each with its place, but for where in a request it stands: nobody who types a command knows of that. */
    private static Optional<String> mistakes(Facts problem) {
        return problem.list("errors").stream()
                .map(each -> {
                    String place = each.shown("pointer").replaceFirst("^(query)?/", "");
                    return (place.isEmpty() ? "" : place + ": ") + each.shown("detail");
                })
                .reduce((one, other) -> one + "; " + other);
    }

    private static int exitCode(int status, String code) {
        int known = ExitCode.of(code);
        return known == ExitCode.FAILED ? code(status) : known;
    }

    private static int code(int status) {
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

    private static String next(ServerClient.Answer answer, String code) {
        int status = answer.status();
        return switch (status) {
            case 401 -> "set INTERLOCK_API_KEY, or name the file that holds the key with --api-key-file";
            case 403 -> "use a key with a higher role; interlock keys ls --store … shows them";
            case 404 -> "interlock " + noun(code, answer.path()) + " ls shows those there are";
            case 409 ->
                code.equals("run-finished")
                        ? "there is nothing to do"
                        : "interlock locks ls shows who is in the way; or submit with --on-conflict queue";
            case 410 -> "stop the work, and acquire anew";
            case 412 -> "look again, then repeat it with what you see";
            case 429, 503 -> "try again later";
            default -> status < 500 ? "--help shows how it is written" : "the server's log knows more";
        };
    }

    private static String noun(String code, String path) {
        return code.equals("unknown-job")
                ? "jobs"
                : path.startsWith("/keys") ? "keys" : path.startsWith("/locks") ? "locks" : "runs";
    }

    private static String oneLine(String text) {
        return text.lines().reduce((one, other) -> one + " " + other).orElse("");
    }
}
