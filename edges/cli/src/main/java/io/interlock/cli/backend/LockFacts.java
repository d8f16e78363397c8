package io.interlock.cli.backend;

import io.interlock.DurationText;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.cli.text.Facts;
import io.interlock.run.KeyView;
import io.interlock.run.Pause;
import io.interlock.run.Progress;
import io.interlock.run.Run;
import io.interlock.run.Stage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is known of a key, as facts. */
final class LockFacts {

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

    static @Nullable Facts progress(Progress progress) {
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
                .and("job", run, Run::job)
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
            return lease.isLive() ? "HELD" : "OVERDUE";
        }
        if (view.pause() != null) {
            return "PAUSED";
        }
        return view.waiting() > 0 || view.run() != null ? "WAITING" : "FREE";
    }

    private static String explanation(KeyView view) {
        StringBuilder text = new StringBuilder(view.key().toString());
        LeaseRecord lease = view.lease();
        Run run = view.run();
        if (lease != null) {
            text.append(run == null ? " is held by " : " is held for run " + run.id() + " by ")
                    .append(lease.holder().label())
                    .append(" for ")
                    .append(DurationText.format(lease.heldFor()))
                    .append(" with token ")
                    .append(lease.token());
            if (lease.eviction() != null) {
                text.append("; ").append(lease.eviction().actor()).append(" evicted it");
            } else if (lease.isExpired()) {
                text.append("; its lease has run out, so whoever asks next gets the key");
            }
        } else if (run != null) {
            text.append(" is kept for run ").append(run.id()).append(" of job ").append(run.job());
        } else {
            text.append(view.pause() == null ? " is free" : " is held by nobody");
        }
        if (view.waiting() > 0) {
            text.append("; ").append(view.waiting()).append(view.waiting() == 1 ? " waits" : " wait");
        }
        Pause pause = view.pause();
        if (pause != null) {
            text.append("; paused by ")
                    .append(pause.actor())
                    .append(" (")
                    .append(pause.reason())
                    .append(")");
            text.append(until(pause, view.observedAt()));
        }
        return text.toString();
    }

    private static String until(Pause pause, Instant now) {
        return pause.end()
                .map(end -> " for another " + DurationText.format(Duration.between(now, end)))
                .orElse(" until somebody resumes it");
    }
}
