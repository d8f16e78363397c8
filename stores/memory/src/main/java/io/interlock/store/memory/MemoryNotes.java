package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.RefusalCount;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.OutputNote;
import io.interlock.spi.run.RunNotes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Data stored beside runs, for users and for the engine. */
class MemoryNotes implements RunNotes {

    private final RunTable table;

    MemoryNotes(RunTable table) {
        this.table = table;
    }

    @Override
    public boolean keepOutput(OutputNote note) {
        return table.alone(rows -> {
            boolean proved = rows.run(note.run()).map(note::isProofOf).orElse(false);
            if (proved) {
                rows.notes.keepOutput(note.run(), note.text());
            }
            return proved;
        });
    }

    @Override
    public Optional<String> output(RunId run) {
        return table.alone(rows -> rows.notes.output(run));
    }

    @Override
    public void countRefusals(List<RefusalCount> counts) {
        table.alone(rows -> {
            counts.forEach(rows.notes::count);
            return counts;
        });
    }

    @Override
    public List<RefusalCount> refusals(LockKey key, Instant since) {
        return table.alone(rows -> rows.notes.refusals(key, since));
    }

    @Override
    public void noteWorker(WorkerNote worker) {
        table.alone(rows -> {
            rows.notes.note(worker, table.now());
            return worker;
        });
    }

    @Override
    public List<WorkerNote> workers(String tenant, Duration time, int limit) {
        return table.alone(rows -> rows.notes.workers(tenant, table.now().minus(time), limit));
    }

    @Override
    public long bookmark(String name) {
        return table.alone(rows -> rows.notes.bookmark(name));
    }

    @Override
    public boolean moveBookmark(String name, long expected, long value) {
        return table.alone(rows -> {
            boolean asExpected = rows.notes.bookmark(name) == expected;
            if (asExpected) {
                rows.notes.moveBookmark(name, value);
            }
            return asExpected;
        });
    }
}
