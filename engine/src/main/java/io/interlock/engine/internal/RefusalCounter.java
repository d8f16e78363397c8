package io.interlock.engine.internal;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.locks.runtime.Loop;
import io.interlock.run.RefusalCount;
import io.interlock.run.RunTexts;
import io.interlock.spi.run.RunNotes;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts refused, skipped, joined, replaced and repeated submissions per key, policy, outcome and minute, in memory; every few
 * seconds what has changed is written down, in batches. Each count is that of the whole minute, so writing it again does no harm.
 *
 * <p>Memory is bounded. Beyond {@link #MAX_CELLS} different counts in a minute, new keys are counted together under the key
 * {@code _other} of their tenant, or, if there are too many tenants, of the tenant {@code interlock}. While the store is away,
 * the last {@link #MAX_MINUTES} minutes are kept. What a process had counted when it was killed, at most some seconds, is
 * lost; nothing depends on it. If the clock is set back into minutes that were written down already, those show the greater
 * of both counts.
 *
 * <p>Safe for use by many threads.
 */
public final class RefusalCounter implements AutoCloseable {

    /** How many different counts a minute may have before keys are counted together. */
    public static final int MAX_CELLS = 10_000;

    /** How many minutes are kept while the store is away. */
    public static final int MAX_MINUTES = 10;

    /** How often counts are written down. */
    public static final Duration EVERY = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(RefusalCounter.class);
    private static final int MORE_FOR_TENANTS = 1000;
    private static final int BATCH = 500;

    private final RunNotes notes;
    private final String node;
    private final InstantSource clock;
    private final Loop loop;
    // Guarded by this, and so are the counts.
    private final TreeMap<Instant, Map<Cell, Count>> minutes = new TreeMap<>();

    private record Cell(LockKey key, ConflictPolicy policy, RefusalCount.Outcome outcome) {

        Cell under(String tenant) {
            return new Cell(new LockKey(tenant, "_other"), policy, outcome);
        }
    }

    private static final class Count {
        private long number;
        private long written;
        private String last = "";
    }

    /** A count that is not what was written down last, as it was a moment ago. */
    private record Change(Count count, RefusalCount now) {}

    /**
     * Counts, and writes down until it is closed.
     *
     * @param node the name of this process; no other one may have it, not even a later one on the same machine
     */
    public RefusalCounter(RunNotes notes, String node, Environment environment) {
        this.notes = notes;
        this.node = RunTexts.require("node", node, "name the process that counts");
        clock = environment.clock();
        loop = Loop.start(environment, "refusal-count", EVERY, () -> {
            runOnce();
            return false;
        });
    }

    /**
     * Counts one submission.
     *
     * @param last what it was told, or which run it was about; the last one of a minute is kept
     */
    public synchronized void count(LockKey key, ConflictPolicy policy, RefusalCount.Outcome outcome, String last) {
        Map<Cell, Count> counts = minutes.computeIfAbsent(minute(), anew -> new HashMap<>());
        Cell cell = withRoom(counts, new Cell(key, policy, outcome));
        Count count = counts.computeIfAbsent(cell, anew -> new Count());
        count.number++;
        count.last = last;
    }

    private static Cell withRoom(Map<Cell, Count> counts, Cell cell) {
        if (counts.containsKey(cell) || counts.size() < MAX_CELLS) {
            return cell;
        }
        Cell other = cell.under(cell.key().tenant());
        return counts.containsKey(other) || counts.size() < MAX_CELLS + MORE_FOR_TENANTS
                ? other
                : cell.under("interlock");
    }

    /** Writes down what has changed. */
    public int runOnce() {
        forgetWhatIsTooMuch();
        List<Change> changes = changes();
        for (int from = 0; from < changes.size(); from += BATCH) {
            List<Change> batch = changes.subList(from, Math.min(from + BATCH, changes.size()));
            notes.countRefusals(batch.stream().map(Change::now).toList());
            written(batch);
        }
        forgetWhatIsOver();
        return changes.size();
    }

    /** Writes down what is left, if the store answers. May be called twice. */
    @Override
    public void close() {
        loop.close();
        try {
            runOnce();
        } catch (RuntimeException failure) {
            long left = changes().stream()
                    .mapToLong(change -> unwritten(change.count()))
                    .sum();
            log.warn("the last counts of refused submissions, {} of them, were not kept: {}", left, failure.toString());
        }
    }

    private synchronized List<Change> changes() {
        List<Change> changes = new ArrayList<>();
        minutes.forEach((minute, counts) -> counts.forEach((cell, count) -> {
            if (unwritten(count) > 0) {
                RefusalCount now = new RefusalCount(
                        cell.key(), node, minute, cell.policy(), cell.outcome(), count.number, count.last);
                changes.add(new Change(count, now));
            }
        }));
        return changes;
    }

    private synchronized void written(List<Change> batch) {
        batch.forEach(change -> change.count().written = change.now().count());
    }

    private void forgetWhatIsTooMuch() {
        List<Map.Entry<Instant, Map<Cell, Count>>> dropped = new ArrayList<>();
        synchronized (this) {
            while (minutes.size() > MAX_MINUTES) {
                dropped.add(minutes.pollFirstEntry());
            }
        }
        dropped.forEach(minute -> log.warn(
                "dropped the counts of {} refused submissions at {}: the store has been unavailable for more than {} minutes",
                unwritten(minute.getValue()),
                minute.getKey(),
                MAX_MINUTES));
    }

    private synchronized void forgetWhatIsOver() {
        Instant now = minute();
        minutes.entrySet().removeIf(minute -> !minute.getKey().equals(now) && unwritten(minute.getValue()) == 0);
    }

    private Instant minute() {
        return clock.instant().truncatedTo(ChronoUnit.MINUTES);
    }

    private static long unwritten(Map<Cell, Count> counts) {
        return counts.values().stream().mapToLong(RefusalCounter::unwritten).sum();
    }

    private static long unwritten(Count count) {
        return count.number - count.written;
    }
}
