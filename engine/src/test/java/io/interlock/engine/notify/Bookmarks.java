package io.interlock.engine.notify;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.StoreUnavailableException;
import io.interlock.run.RefusalCount;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.OutputNote;
import io.interlock.spi.run.RunNotes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps bookmarks, and can lose its answers. */
final class Bookmarks implements RunNotes {

    final Map<String, Long> kept = new ConcurrentHashMap<>();
    volatile boolean losesAnswers;

    @Override
    public long bookmark(String name) {
        return kept.getOrDefault(name, 0L);
    }

    @Override
    public synchronized boolean moveBookmark(String name, long expected, long value) {
        if (bookmark(name) != expected) {
            return false;
        }
        kept.put(name, value);
        if (losesAnswers) {
            throw new StoreUnavailableException("notes", "lost its answer");
        }
        return true;
    }

    @Override
    public boolean keepOutput(OutputNote note) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<String> output(RunId run) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void countRefusals(List<RefusalCount> counts) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<RefusalCount> refusals(LockKey key, Instant since) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void noteWorker(WorkerNote worker) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<WorkerNote> workers(Duration time) {
        throw new UnsupportedOperationException();
    }
}
