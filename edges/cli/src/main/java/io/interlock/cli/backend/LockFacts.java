package io.interlock.cli.backend;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Times;
import io.interlock.run.KeyView;
import io.interlock.run.Progress;
import io.interlock.run.Run;
import io.interlock.run.Stage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is known of a key, as facts. */
public final class LockFacts {

    private LockFacts() {}

    /** Of a key on a store of runs. */
    static Facts of(KeyView view) {
        LeaseRecord lease = view.lease();
        Run run = view.run();
        Progress progress = run == null ? Progress.NONE : run.status().progress();
        return Facts.with("key", view.key().name())
                .and("state", state(view))
                .and("holder", holder(lease, run))
                .and("token", lease, record -> record.token().value())
                .and("since", lease, LeaseRecord::grantedAt)
                .and("leaseLeft", lease, LeaseRecord::remaining)
                .and("job", run, Run::job)
                .and("stage", stage(run))
                .and("progress", progress.equals(Progress.NONE) ? null : progress(progress))
                .and("waiting", view.waiting())
                .and("waitingSince", view.waitingSince())
                .and("observedAt", view.observedAt())
                .and("explanation", explanation(view))
                .done();
    }

    /** Of a key on a store that keeps leases only. */
    static Facts of(LeaseRecord lease) {
        return of(new KeyView(lease.key(), lease, null, 0, null, null, lease.observedAt()));
    }

    /** Of a key of which there is nothing to see. */
    static Facts free(LockKey key) {
        return Facts.with("key", key.name())
                .and("state", "FREE")
                .and("waiting", 0)
                .and("explanation", key + " is free")
                .done();
    }

    public static @Nullable Facts progress(Progress progress) {
        return Facts.with("done", progress.done())
                .and("total", progress.total())
                .done();
    }

    static @Nullable String stage(@Nullable Run run) {
        if (run == null) {
            return null;
        }
        List<Stage> stages = run.status().stages();
        return stages.isEmpty() ? null : stages.get(stages.size() - 1).name();
    }

    private static @Nullable Facts holder(@Nullable LeaseRecord lease, @Nullable Run run) {
        if (lease == null && run == null) {
            return null;
        }
        return Facts.with("runId", run == null ? null : run.id())
                .and("holder", lease, record -> record.holder().label())
                .and("since", lease, LeaseRecord::grantedAt)
                .and("stage", stage(run))
                .and("reason", run, held -> held.spec().origin().reason())
                .and("alive", lease != null && lease.isLive())
                .done();
    }

    private static String state(KeyView view) {
        LeaseRecord lease = view.lease();
        if (lease != null) {
            return lease.isLive() && !tooLong(view) ? "HELD" : "OVERDUE";
        }
        if (view.pause() != null) {
            return "PAUSED";
        }
        return view.waiting() > 0 || view.run() != null ? "WAITING" : "FREE";
    }

    private static boolean tooLong(KeyView view) {
        Run run = view.run();
        return run != null
                && run.spec()
                        .limits()
                        .runtimeLimit()
                        .flatMap(limit -> run.status()
                                .lastTurn()
                                .map(turn -> turn.startedAt().plus(limit)))
                        .filter(end -> end.isBefore(view.observedAt()))
                        .isPresent();
    }

    private static String explanation(KeyView view) {
        return obstacle(view) + (view.waiting() == 0 ? "" : "; " + view.waiting() + " in line");
    }

    private static String obstacle(KeyView view) {
        LeaseRecord lease = view.lease();
        Run run = view.run();
        if (lease != null && lease.isExpired()) {
            return lease.key() + " was held by " + lease.holder().label() + " with token " + lease.token()
                    + "; its lease expired at " + Times.rfc3339(lease.expiresAt()) + " without being given back";
        }
        if (lease != null) {
            return new Refusal.Held(lease).explanation()
                    + (tooLong(view) ? "; its work takes longer than its max runtime" : "");
        }
        if (view.pause() != null) {
            return new RunRefusal.Paused(view.key(), view.pause(), view.observedAt()).explanation();
        }
        if (run != null) {
            return new RunRefusal.Reserved(
                            view.key(), run.id(), run.job(), run.status().since(), view.observedAt())
                    .explanation();
        }
        return view.key() + (view.waiting() == 0 ? " is free" : " is held by nobody");
    }
}
