package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.run.RefusalCount;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunPeriod.PeriodQuery;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.RunNotes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Data beside runs in memory. */
class MemoryNotes implements RunNotes {

    private final MemoryClient client;

    MemoryNotes(MemoryClient client) {
        this.client = client;
    }

    @Override
    public void countRefusals(List<RefusalCount> counts) {
        client.change(rows -> counts.forEach(rows.notes::count));
    }

    @Override
    public List<RefusalCount> refusals(LockKey key, Instant since) {
        return client.alone(rows -> rows.notes.refusals(key, since));
    }

    @Override
    public void addPeriods(List<RunPeriod> periods) {
        client.change(rows -> periods.forEach(rows.notes::add));
    }

    @Override
    public List<RunPeriod> periods(PeriodQuery query) {
        return client.alone(rows -> rows.notes.periods(query));
    }

    @Override
    public void noteWorker(WorkerNote worker) {
        client.change(rows -> rows.notes.note(worker, client.table().now()));
    }

    @Override
    public List<WorkerNote> workers(String tenant, Duration time, int limit) {
        return client.alone(
                rows -> rows.notes.workers(tenant, client.table().now().minus(time), limit));
    }

    @Override
    public long bookmark(String name) {
        return client.alone(rows -> rows.notes.bookmark(name));
    }

    @Override
    public boolean moveBookmark(String name, long expected, long value) {
        return client.alone(rows -> rows.notes.moveBookmark(name, expected, value));
    }
}
