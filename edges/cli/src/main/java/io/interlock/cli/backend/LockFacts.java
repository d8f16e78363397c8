package io.interlock.cli.backend;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.cli.text.Facts;
import io.interlock.run.KeyView;
import io.interlock.run.Pause;
import io.interlock.run.Progress;
import io.interlock.run.Run;
import io.interlock.run.Stage;
import io.interlock.run.Turn;
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
                .and("state", view.state())
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
                .and("pause", view.pause(), pause -> pause(pause, true))
                .and("explanation", view.explanation())
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

    /** A pause, and whether it is in force. */
    static Facts pause(Pause pause, boolean paused) {
        return Facts.with(pause.pattern().endsWith("*") ? "pattern" : "key", pause.pattern())
                .and("paused", paused)
                .and("pausedBy", pause.actor())
                .and("reason", pause.reason())
                .and("since", pause.since())
                .and("until", pause.until())
                .done();
    }

    public static @Nullable Facts progress(Progress progress) {
        return Facts.with("done", progress.done())
                .and("total", progress.total())
                .done();
    }

    static @Nullable String stage(@Nullable Run run) {
        return run == null ? null : run.status().currentStage().map(Stage::name).orElse(null);
    }

    private static @Nullable Facts holder(@Nullable LeaseRecord lease, @Nullable Run run) {
        if (lease == null) {
            return run == null ? null : waiting(run);
        }
        return Facts.with("runId", run == null ? null : run.id())
                .and("holder", lease.holder().label())
                .and("since", lease.grantedAt())
                .and("stage", stage(run))
                .and("reason", run, held -> held.spec().origin().reason())
                .and("alive", lease.isLive())
                .done();
    }

    /** A run that the key is kept for, and that has no lease yet. */
    private static Facts waiting(Run run) {
        Turn before = run.status().turn();
        return Facts.with("runId", run.id())
                .and("holder", before, turn -> turn.holder().label())
                .and("since", before == null ? run.status().since() : before.startedAt())
                .and("stage", stage(run))
                .and("reason", run.spec().origin().reason())
                .and("alive", true)
                .done();
    }
}
