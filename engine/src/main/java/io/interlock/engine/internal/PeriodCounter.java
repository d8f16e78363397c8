package io.interlock.engine.internal;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.locks.runtime.Loop;
import io.interlock.run.HoldTimes;
import io.interlock.run.JobName;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunPeriod.Length;
import io.interlock.run.Summary.RunCount;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.RunViews;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the ends of runs and how long attempts had their keys, by tenant, job and minute, and every few seconds adds them to the
 * periods of the store, in batches: so a step of the store writes nothing more. Once a minute, one process of all that share the
 * store also records how many runs wait.
 *
 * <p>What the store did not confirm is added with the next batch, for as long as the store would keep such periods. So a count whose
 * confirmation was lost counts twice, and what a process had counted when it was killed is missing; nothing depends on it. Beyond
 * {@link #MOST} different counts between two batches, more jobs are counted only with their tenant.
 *
 * <p>Safe for use by many threads.
 */
public final class PeriodCounter implements AutoCloseable {

    /** How many counts a batch may have before jobs are not told apart. */
    public static final int MOST = 10_000;

    /** How often counts are added to the store's. */
    public static final Duration EVERY = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(PeriodCounter.class);
    private static final String LAST_MINUTE = "run-periods";

    /** How many counts are added in one step; each is part of up to six periods. */
    private static final int BATCH = 80;

    private final RunNotes notes;
    private final RunViews views;
    private final Loop loop;
    private final Map<Cell, RunPeriod> counts = new HashMap<>();

    private record Cell(String tenant, @Nullable JobName job, Instant minute) {

        static Cell of(RunPeriod count) {
            return new Cell(count.tenant(), count.job(), count.start());
        }

        RunPeriod empty() {
            return RunPeriod.empty(tenant, job, Length.MINUTE, minute);
        }
    }

    /** Counts, and writes until it is closed. */
    public PeriodCounter(RunNotes notes, RunViews views, Environment environment) {
        this.notes = notes;
        this.views = views;
        loop = Loop.start(environment, "run-periods", EVERY, () -> {
            runOnce();
            return false;
        });
    }

    /** An attempt that had its key for {@code time} ended at {@code end}. */
    public void held(LockKey key, JobName job, Duration time, Instant end) {
        add(minute(key, job, end).held(HoldTimes.of(time)));
    }

    public void ended(LockKey key, JobName job, RunState state, Instant end) {
        add(minute(key, job, end).ended(state, 1));
    }

    private static RunPeriod minute(LockKey key, JobName job, Instant end) {
        return new Cell(key.tenant(), job, Length.MINUTE.start(end)).empty();
    }

    private synchronized void add(RunPeriod count) {
        boolean hasRoom = counts.size() < MOST || counts.containsKey(Cell.of(count));
        RunPeriod added = hasRoom ? count : ofAllJobs(count, Length.MINUTE);
        counts.merge(Cell.of(added), added, RunPeriod::plus);
    }

    /** Adds what was counted to the store's periods, and how many runs wait if this minute has no such record yet. */
    public void runOnce() {
        Instant minute = Length.MINUTE.start(views.storeTime());
        List<RunPeriod> all = new ArrayList<>(isFirstIn(minute) ? waiting(minute) : List.of());
        all.addAll(take());
        for (int from = 0; from < all.size(); from += BATCH) {
            List<RunPeriod> batch = all.subList(from, Math.min(from + BATCH, all.size()));
            try {
                notes.addPeriods(
                        batch.stream().flatMap(PeriodCounter::everyLength).toList());
            } catch (RuntimeException failure) {
                Instant oldest = minute.minus(Length.MINUTE.kept());
                all.subList(from, all.size()).stream()
                        .filter(count -> !count.start().isBefore(oldest))
                        .forEach(this::add);
                throw failure;
            }
        }
    }

    private synchronized List<RunPeriod> take() {
        List<RunPeriod> taken = List.copyOf(counts.values());
        counts.clear();
        return taken;
    }

    private boolean isFirstIn(Instant minute) {
        long last = notes.bookmark(LAST_MINUTE);
        return last < minute.getEpochSecond() && notes.moveBookmark(LAST_MINUTE, last, minute.getEpochSecond());
    }

    /** How many runs wait now, of each job and of all, and that this minute was counted. */
    private List<RunPeriod> waiting(Instant minute) {
        Map<Cell, Long> numbers = new HashMap<>();
        for (RunCount count : views.runCounts()) {
            if (count.state() == RunState.QUEUED || count.state() == RunState.PENDING) {
                numbers.merge(new Cell(count.tenant(), count.job(), minute), count.count(), Long::sum);
                numbers.merge(new Cell(count.tenant(), null, minute), count.count(), Long::sum);
            }
        }
        return Stream.concat(
                        Stream.of(RunPeriod.empty(RunPeriod.COUNTED, null, Length.MINUTE, minute)),
                        numbers.entrySet().stream()
                                .map(each -> each.getKey().empty().waiting(each.getValue())))
                .toList();
    }

    /** A count of a minute as parts of all periods it belongs to: of its job and, if that did not count for it, of all jobs. */
    private static Stream<RunPeriod> everyLength(RunPeriod counted) {
        Stream.Builder<RunPeriod> rows = Stream.builder();
        for (Length length : Length.values()) {
            rows.add(counted.within(length, counted.job()));
            if (counted.job() != null) {
                rows.add(ofAllJobs(counted, length));
            }
        }
        return rows.build();
    }

    // The number that waits for all jobs is not the greatest of any one.
    private static RunPeriod ofAllJobs(RunPeriod counted, Length length) {
        return counted.within(length, null).waiting(0);
    }

    /** Writes what is left, if the store answers. May be called twice. */
    @Override
    public void close() {
        loop.close();
        try {
            runOnce();
        } catch (RuntimeException away) {
            log.warn("the last counts of ended runs were not kept: {}", away.toString());
        }
    }
}
