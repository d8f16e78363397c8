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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts refused, skipped, joined, replaced and repeated submissions per key, policy, outcome and minute. Counting is a few
 * steps in memory, without a lock that all share; every few seconds what has changed is written down, in batches. Each count
 * is that of the whole minute, so writing it again does no harm.
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
    private static final int BATCH = 500;
    private static final long MINUTE = 60_000;

    private final RunNotes notes;
    private final String node;
    private final InstantSource clock;
    private final Loop loop;
    private final ConcurrentSkipListMap<Long, Minute> minutes = new ConcurrentSkipListMap<>();
    private final LongAdder lost = new LongAdder();

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
    public void count(LockKey key, ConflictPolicy policy, RefusalCount.Outcome outcome, String last) {
        long now = Math.floorDiv(clock.millis(), MINUTE);
        Minute minute = minutes.get(now);
        if (minute == null) {
            minute = minutes.computeIfAbsent(now, Minute::new);
        }
        minute.count(key, policy, outcome, last);
    }

    /** Writes down what has changed. */
    public synchronized int runOnce() {
        forgetWhatIsTooMuch();
        List<Minute.Change> changes =
                minutes.values().stream().flatMap(Minute::changes).toList();
        for (int from = 0; from < changes.size(); from += BATCH) {
            List<Minute.Change> batch = changes.subList(from, Math.min(from + BATCH, changes.size()));
            List<RefusalCount> counts = new ArrayList<>(batch.size());
            batch.forEach(change -> counts.add(change.asCount(node)));
            notes.countRefusals(counts);
            batch.forEach(Minute.Change::sent);
        }
        forgetWhatIsOver();
        return changes.size();
    }

    /** How many counted submissions were dropped, because the store was unavailable for too long. */
    public long lost() {
        return lost.sum();
    }

    /** Writes down what is left, if the store answers. May be called twice. */
    @Override
    public void close() {
        loop.close();
        try {
            runOnce();
        } catch (RuntimeException failure) {
            long left = minutes.values().stream().mapToLong(Minute::unsent).sum();
            log.warn("the last counts of refused submissions, {} of them, were not kept: {}", left, failure.toString());
        }
    }

    private void forgetWhatIsTooMuch() {
        while (minutes.size() > MAX_MINUTES) {
            Minute oldest = minutes.pollFirstEntry().getValue();
            lost.add(oldest.unsent());
            log.warn(
                    "dropped the counts of {} refused submissions at {}: the store has been unavailable for more than {} minutes",
                    oldest.unsent(),
                    oldest.beginning(),
                    MAX_MINUTES);
        }
    }

    // The minute before this one stays, for a thread that found it a moment ago and is about to count.
    private void forgetWhatIsOver() {
        long now = Math.floorDiv(clock.millis(), MINUTE);
        minutes.values()
                .removeIf(minute -> minute.number() != now && minute.number() != now - 1 && minute.unsent() == 0);
    }

    /** What was counted in one minute. Many threads count; one at a time writes down. */
    private static final class Minute {

        private static final String OTHER = "_other";
        private static final int MORE_FOR_TENANTS = 1000;

        private final long number;
        private final ConcurrentHashMap<Cell, Count> cells = new ConcurrentHashMap<>();

        private record Cell(LockKey key, ConflictPolicy policy, RefusalCount.Outcome outcome) {

            Cell under(String tenant) {
                return new Cell(new LockKey(tenant, OTHER), policy, outcome);
            }
        }

        private static final class Count {
            private final LongAdder number = new LongAdder();
            private volatile String last = "";
            private volatile long sent;
        }

        Minute(long number) {
            this.number = number;
        }

        long number() {
            return number;
        }

        Instant beginning() {
            return Instant.ofEpochSecond(number * 60);
        }

        void count(LockKey key, ConflictPolicy policy, RefusalCount.Outcome outcome, String last) {
            Count count = find(new Cell(key, policy, outcome));
            count.last = last;
            count.number.increment();
        }

        private Count find(Cell cell) {
            Count known = found(cell, RefusalCounter.MAX_CELLS);
            if (known == null) {
                known = found(cell.under(cell.key().tenant()), RefusalCounter.MAX_CELLS + MORE_FOR_TENANTS);
            }
            return known != null ? known : cells.computeIfAbsent(cell.under("interlock"), anew -> new Count());
        }

        /** Looks before it adds: a count that is there needs no lock. */
        private @Nullable Count found(Cell cell, int most) {
            Count known = cells.get(cell);
            return known != null || cells.mappingCount() >= most
                    ? known
                    : cells.computeIfAbsent(cell, anew -> new Count());
        }

        long unsent() {
            return cells.values().stream()
                    .mapToLong(count -> count.number.sum() - count.sent)
                    .sum();
        }

        /** Counts that are not what was written down last. */
        Stream<Change> changes() {
            return cells.entrySet().stream()
                    .map(entry -> new Change(
                            this,
                            entry.getKey(),
                            entry.getValue(),
                            entry.getValue().number.sum()))
                    .filter(Change::isNew);
        }

        /** A count as it was a moment ago. */
        private record Change(Minute minute, Cell cell, Count count, long value) {

            boolean isNew() {
                return value != count.sent;
            }

            RefusalCount asCount(String node) {
                return new RefusalCount(
                        cell.key, node, minute.beginning(), cell.policy, cell.outcome, value, count.last);
            }

            void sent() {
                count.sent = value;
            }
        }
    }
}
