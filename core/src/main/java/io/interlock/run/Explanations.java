package io.interlock.run;

import io.interlock.LeaseRecord;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.TimeText;
import org.jspecify.annotations.Nullable;

/** Explains the state of runs and keys in one sentence: the same in Java, in REST and on the command line. */
final class Explanations {

    private Explanations() {}

    static String of(Run run) {
        RunStatus status = run.status();
        String what = "run " + run.id() + " of job " + run.job();
        return switch (run.state()) {
            case QUEUED ->
                what + " waits in line for " + run.key().name() + since(status)
                        + (status.notBefore() == null
                                ? ""
                                : "; attempt " + (status.attempts() + 1) + " may begin at "
                                        + TimeText.format(status.notBefore()));
            case PENDING -> what + " has " + run.key().name() + since(status) + " and waits for a worker";
            case RUNNING ->
                what + " has " + run.key().name() + since(status)
                        + status.lastTurn()
                                .map(turn -> ", done by " + turn.holder().label())
                                .orElse("")
                        + status.currentStage()
                                .map(stage -> ", at stage " + stage.name())
                                .orElse("")
                        + status.stopRequest()
                                .map(stop -> "; " + stop.actor() + " asked it to stop: " + stop.reason())
                                .orElse("");
            default ->
                what + " ended " + run.state() + " at " + TimeText.format(status.since()) + error(status.error());
        };
    }

    static String of(KeyView view) {
        return obstacle(view) + (view.waiting() == 0 ? "" : "; " + view.waiting() + " in line");
    }

    private static String since(RunStatus status) {
        return " since " + TimeText.format(status.since());
    }

    private static String error(@Nullable RunError error) {
        return error == null ? "" : ": " + error.code() + ", " + error.message();
    }

    private static String obstacle(KeyView view) {
        LeaseRecord lease = view.lease();
        Run run = view.run();
        if (lease != null && lease.isExpired()) {
            return lease.key() + " was held by " + lease.holder().label() + " with token " + lease.token()
                    + "; its lease expired at " + TimeText.format(lease.expiresAt()) + " without a release";
        }
        if (lease != null) {
            return new Refusal.Held(lease).explanation()
                    + (view.isTooLong() ? "; its work takes longer than its max runtime" : "");
        }
        if (view.pause() != null) {
            return new RunRefusal.Paused(view.key(), view.pause(), view.observedAt()).explanation();
        }
        if (run != null) {
            return new RunRefusal.Reserved(
                            view.key(), run.id(), run.job(), run.status().since(), view.observedAt())
                    .explanation();
        }
        return view.key() + (view.waiting() == 0 ? " is free" : " has no holder");
    }
}
