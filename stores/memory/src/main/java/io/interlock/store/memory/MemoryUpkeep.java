package io.interlock.store.memory;

import io.interlock.run.Retention;
import io.interlock.run.SweepAction;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.Upkeep;
import java.time.Instant;
import java.util.List;

/** The steps of a sweeper in memory. */
class MemoryUpkeep implements Upkeep {

    private static final int NAMES_AT_ONCE = 1000;

    private final MemoryClient client;

    MemoryUpkeep(MemoryClient client) {
        this.client = client;
    }

    @Override
    public List<SweepAction> sweepRuns(int limit) {
        client.table().heard();
        return client.table().settleDue(null, limit);
    }

    @Override
    public Forgotten forget(Retention retention, int limit) {
        Instant now = client.table().now();
        // All of them, but in parts, so that steps do not wait for long.
        int names;
        do {
            names = client.alone(rows -> rows.names.forgetOver(now, NAMES_AT_ONCE));
        } while (names == NAMES_AT_ONCE);
        return client.alone(rows -> {
            rows.notes.forgetBefore(now.minus(retention.runs()));
            rows.notes.forgetPeriods(now);
            rows.notes.forgetRemoteBefore(now.minus(WorkerNote.REMOTE_KEPT));
            return new Forgotten(
                    rows.forgetRuns(retention, now, limit), rows.audit.forget(now.minus(retention.audit()), limit));
        });
    }
}
