package io.interlock.store.memory;

import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Retention;
import io.interlock.run.Run;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.RunHistory;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Forgets what is old. */
class HistoryBook implements RunHistory {

    private final RunTable table;

    HistoryBook(RunTable table) {
        this.table = table;
    }

    @Override
    public Forgotten forget(Retention retention, int limit) {
        return table.alone(rows -> {
            Instant now = table.now();
            Set<RunId> needed = needed(rows, now);
            List<Run> over = rows.ended()
                    .filter(run -> !needed.contains(run.id()))
                    .filter(run -> !endOf(rows, run, retention).isAfter(now))
                    .sorted(Comparator.comparing(run -> run.status().since()))
                    .limit(limit)
                    .toList();
            over.forEach(run -> rows.forget(run.id()));
            rows.notes.forgetBefore(now.minus(retention.runs()));
            rows.notes.forgetRemoteBefore(now.minus(WorkerNote.REMOTE_KEPT));
            return new Forgotten(over.size(), rows.audit.forget(now.minus(retention.audit()), limit));
        });
    }

    /** Runs that somebody may still ask for by a name of its own. */
    Set<RunId> needed(RunRows rows, Instant now) {
        return rows.names.counting(now);
    }

    private static Instant endOf(RunRows rows, Run run, Retention retention) {
        boolean open = run.state() == RunState.DEAD && rows.disposition(run.id()) == null;
        Duration kept = open ? retention.deadLetters() : retention.runs();
        return run.status().since().plus(kept);
    }
}
