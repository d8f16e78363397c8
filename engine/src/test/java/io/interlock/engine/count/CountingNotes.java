package io.interlock.engine.count;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.StoreUnavailableException;
import io.interlock.run.RefusalCount;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.OutputNote;
import io.interlock.spi.run.RunNotes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Keeps counts as stores do, and can be away, or lose its answer. */
final class CountingNotes implements RunNotes {

    final Map<List<Object>, RefusalCount> kept = new HashMap<>();
    final List<Integer> batches = new ArrayList<>();
    boolean away;
    boolean losesAnswers;

    @Override
    public synchronized void countRefusals(List<RefusalCount> counts) {
        if (away) {
            throw new StoreUnavailableException("notes", "is away");
        }
        batches.add(counts.size());
        counts.forEach(count -> kept.merge(
                List.of(count.key(), count.node(), count.minute(), count.policy(), count.outcome()),
                count,
                (before, now) -> now.count() >= before.count() ? now : before));
        if (losesAnswers) {
            throw new StoreUnavailableException("notes", "lost its answer");
        }
    }

    synchronized long total() {
        return kept.values().stream().mapToLong(RefusalCount::count).sum();
    }

    @Override
    public synchronized List<RefusalCount> refusals(LockKey key, Instant since) {
        return kept.values().stream().filter(count -> count.key().equals(key)).toList();
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
    public void noteWorker(WorkerNote worker) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<WorkerNote> workers(Duration time) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long bookmark(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean moveBookmark(String name, long expected, long value) {
        throw new UnsupportedOperationException();
    }
}
