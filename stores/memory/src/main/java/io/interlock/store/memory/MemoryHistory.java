package io.interlock.store.memory;

import io.interlock.run.Retention;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.RunHistory;
import java.time.Instant;

/** Deletes old history. Reads only what it deletes. */
class MemoryHistory implements RunHistory {

    private static final int NAMES = 1000;

    private final RunTable table;

    MemoryHistory(RunTable table) {
        this.table = table;
    }

    @Override
    public Forgotten forget(Retention retention, int limit) {
        Instant now = table.now();
        Instant namesUntil = namesUntil(now);
        // All of them, but in parts, so that steps do not wait for long.
        int names;
        do {
            names = table.alone(rows -> rows.forgetNames(namesUntil, NAMES));
        } while (names == NAMES);
        return table.alone(rows -> {
            rows.notes.forgetBefore(now.minus(retention.runs()));
            rows.notes.forgetRemoteBefore(now.minus(WorkerNote.REMOTE_KEPT));
            return new Forgotten(
                    rows.forgetRuns(retention, now, limit), rows.audit.forget(now.minus(retention.audit()), limit));
        });
    }

    /** Idempotency keys that expire before this time are deleted. */
    Instant namesUntil(Instant now) {
        return now;
    }
}
