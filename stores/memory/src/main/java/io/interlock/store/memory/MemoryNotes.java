package io.interlock.store.memory;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.RefusalCount;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunPeriod.PeriodQuery;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.WorkSteps.OutputNote;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Data beside runs in memory: output, counts, periods, workers and bookmarks. Guarded by the monitor of its {@link RunRows}. */
final class MemoryNotes implements RunNotes {

    private static final Comparator<WorkerNote> LAST_FIRST = Comparator.comparing(WorkerNote::seenAt)
            .reversed()
            .thenComparing(worker -> worker.worker().instance());

    private final Map<RunId, NavigableMap<Integer, String>> outputs = new HashMap<>();
    private final Map<LockKey, NavigableMap<Counted, RefusalCount>> refusals = new HashMap<>();
    private final NavigableMap<Instant, Set<LockKey>> keysByMinute = new TreeMap<>();
    private final NavigableMap<Period, RunPeriod> periods = new TreeMap<>(Period.ORDER);
    private final Map<String, WorkerNote> workers = new HashMap<>();
    private final Map<String, Long> bookmarks = new HashMap<>();
    private final Supplier<Instant> clock;

    MemoryNotes(Supplier<Instant> clock) {
        this.clock = clock;
    }

    /** The identity of a count. */
    private record Counted(Instant minute, String node, ConflictPolicy policy, RefusalCount.Outcome outcome) {
        /** In which counts are shown. */
        static final Comparator<Counted> ORDER = Comparator.comparing(Counted::minute)
                .thenComparing(Counted::node)
                .thenComparing(Counted::policy)
                .thenComparing(Counted::outcome);
    }

    /** The identity of a period. */
    private record Period(RunPeriod.Length length, Instant start, String tenant, String job) {
        /** In which periods are listed. */
        static final Comparator<Period> ORDER = Comparator.comparing(Period::length)
                .thenComparing(Period::start)
                .thenComparing(Period::tenant)
                .thenComparing(Period::job);

        static Period of(RunPeriod period) {
            return new Period(period.length(), period.start(), period.tenant(), name(period.job()));
        }

        static String name(@Nullable JobName job) {
            return job == null ? "" : job.value();
        }

        boolean isAskedFor(PeriodQuery query) {
            return tenant.equals(query.tenant()) && (query.eachJob() ? !job.isEmpty() : job.equals(name(query.job())));
        }
    }

    void keepOutput(RunId run, int attempt, String text) {
        NavigableMap<Integer, String> kept = outputs.computeIfAbsent(run, id -> new TreeMap<>());
        kept.put(attempt, text);
        kept.headMap(attempt - OutputNote.MOST_ATTEMPTS, true).clear();
    }

    SortedMap<Integer, String> outputs(RunId run) {
        return new TreeMap<>(outputs.getOrDefault(run, Collections.emptyNavigableMap()));
    }

    @Override
    public void countRefusals(List<RefusalCount> counts) {
        counts.forEach(this::count);
    }

    private void count(RefusalCount count) {
        Counted identity = new Counted(count.minute(), count.node(), count.policy(), count.outcome());
        refusals.computeIfAbsent(count.key(), key -> new TreeMap<>(Counted.ORDER))
                .merge(identity, count, (known, said) -> said.count() > known.count() ? said : known);
        keysByMinute.computeIfAbsent(count.minute(), minute -> new HashSet<>()).add(count.key());
    }

    @Override
    public List<RefusalCount> refusals(LockKey key, Instant since) {
        return refusals.getOrDefault(key, Collections.emptyNavigableMap()).values().stream()
                .filter(count -> !count.minute().isBefore(since))
                .toList();
    }

    @Override
    public void addPeriods(List<RunPeriod> more) {
        more.forEach(period -> periods.merge(Period.of(period), period, RunPeriod::plus));
    }

    @Override
    public List<RunPeriod> periods(PeriodQuery query) {
        return of(query.length()).tailMap(new Period(query.length(), query.since(), "", "")).entrySet().stream()
                .filter(each -> each.getKey().isAskedFor(query))
                .map(Map.Entry::getValue)
                .toList();
    }

    private NavigableMap<Period, RunPeriod> of(RunPeriod.Length length) {
        return periods.subMap(
                new Period(length, Instant.MIN, "", ""), true, new Period(length, Instant.MAX, "", ""), true);
    }

    void forgetPeriods(Instant now) {
        for (RunPeriod.Length length : RunPeriod.Length.values()) {
            of(length)
                    .headMap(new Period(length, now.minus(length.kept()), "", ""))
                    .clear();
        }
    }

    @Override
    public void noteWorker(WorkerNote worker) {
        note(worker, clock.get());
    }

    void note(WorkerNote worker, Instant now) {
        workers.put(worker.worker().instance(), worker.at(now));
        if (worker.isRemote()) {
            workers.values().stream()
                    .filter(known -> known.isRemote() && Objects.equals(known.tenant(), worker.tenant()))
                    .sorted(LAST_FIRST)
                    .skip(WorkerNote.MOST_REMOTE)
                    .toList()
                    .forEach(known -> workers.remove(known.worker().instance()));
        }
    }

    @Override
    public List<WorkerNote> workers(String tenant, Duration time, int limit) {
        Instant since = clock.get().minus(time);
        return workers.values().stream()
                .filter(worker -> worker.worksFor(tenant) && !worker.seenAt().isBefore(since))
                .sorted(LAST_FIRST)
                .limit(limit)
                .toList();
    }

    @Override
    public long bookmark(String name) {
        return bookmarks.getOrDefault(name, 0L);
    }

    @Override
    public boolean moveBookmark(String name, long expected, long value) {
        boolean asExpected = bookmark(name) == expected;
        if (asExpected) {
            bookmarks.put(name, value);
        }
        return asExpected;
    }

    void forget(RunId run) {
        outputs.remove(run);
    }

    /** Deletes counts and workers from before {@code then}. */
    void forgetBefore(Instant then) {
        while (!keysByMinute.isEmpty() && keysByMinute.firstKey().isBefore(then)) {
            Map.Entry<Instant, Set<LockKey>> minute = keysByMinute.pollFirstEntry();
            minute.getValue().forEach(key -> forget(key, minute.getKey()));
        }
        workers.values().removeIf(worker -> worker.seenAt().isBefore(then));
    }

    /** Deletes remote workers that were last active before {@code then}. */
    void forgetRemoteBefore(Instant then) {
        workers.values().removeIf(worker -> worker.isRemote() && worker.seenAt().isBefore(then));
    }

    private void forget(LockKey key, Instant minute) {
        refusals.computeIfPresent(key, (known, counts) -> {
            while (!counts.isEmpty() && !counts.firstKey().minute().isAfter(minute)) {
                counts.pollFirstEntry();
            }
            return counts.isEmpty() ? null : counts;
        });
    }
}
