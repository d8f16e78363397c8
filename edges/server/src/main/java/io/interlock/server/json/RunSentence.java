package io.interlock.server.json;

import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus;
import io.interlock.run.Turn;
import org.jspecify.annotations.Nullable;

/** Where a run stands, in one sentence made of what is kept with it. */
final class RunSentence {

    private RunSentence() {}

    static String of(Run run) {
        RunStatus status = run.status();
        String what = "run " + run.id() + " of job " + run.job();
        return switch (run.state()) {
            case QUEUED ->
                what + " waits in line for " + run.key().name() + since(status)
                        + (status.notBefore() == null
                                ? ""
                                : "; attempt " + (status.attempts() + 1) + " may begin at "
                                        + JsonTime.of(status.notBefore()));
            case PENDING -> what + " has " + run.key().name() + since(status) + " and waits for a worker";
            case RUNNING ->
                what + " has " + run.key().name() + since(status) + worker(status) + stage(run)
                        + status.stopRequest()
                                .map(stop -> "; " + stop.actor() + " asked it to stop: " + stop.reason())
                                .orElse("");
            default -> what + " ended " + run.state() + " at " + JsonTime.of(status.since()) + error(status.error());
        };
    }

    private static String since(RunStatus status) {
        return " since " + JsonTime.of(status.since());
    }

    private static String worker(RunStatus status) {
        return status.lastTurn()
                .map(Turn::holder)
                .map(holder -> ", done by " + holder.label())
                .orElse("");
    }

    private static String stage(Run run) {
        return HolderJson.stage(run).map(stage -> ", at stage " + stage.name()).orElse("");
    }

    private static String error(@Nullable RunError error) {
        return error == null ? "" : ": " + error.code() + ", " + error.message();
    }
}
