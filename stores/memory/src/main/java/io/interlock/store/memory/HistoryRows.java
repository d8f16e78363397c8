package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.DeadLetter;
import io.interlock.run.Retention;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.spi.run.rules.WaitRules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All runs, including ended ones, with their attempts and dispositions. Ended runs are ordered by their end, so that a
 * deletion reads only the runs it deletes. Guarded by the monitor of its {@link RunRows}.
 */
final class HistoryRows {

    static final Comparator<Run> BY_END =
            Comparator.comparing((Run run) -> run.status().since()).thenComparingLong(Run::number);

    private final Map<RunId, Run> runs = new HashMap<>();
    private final Map<String, NavigableMap<Long, Run>> byTenant = new HashMap<>();
    private final Map<LockKey, NavigableMap<Long, Run>> byKey = new HashMap<>();
    private final Map<LockKey, NavigableSet<Run>> succeeded = new HashMap<>();
    private final NavigableMap<Long, Run> dead = new TreeMap<>();
    private final NavigableSet<Run> ended = new TreeSet<>(BY_END);
    private final Map<String, NavigableSet<Run>> failed = new HashMap<>();
    private final NavigableSet<Run> openLetters = new TreeSet<>(BY_END);
    private final Map<RunId, List<Attempt>> attempts = new HashMap<>();
    private final Map<RunId, DeadLetter.Disposition> dispositions = new HashMap<>();

    Optional<Run> find(RunId id) {
        return Optional.ofNullable(runs.get(id));
    }

    /** Stores the current run, and returns the previous one. */
    @Nullable
    Run put(Run run) {
        Run before = runs.put(run.id(), run);
        byTenant.computeIfAbsent(run.key().tenant(), tenant -> new TreeMap<>()).put(run.number(), run);
        byKey.computeIfAbsent(run.key(), key -> new TreeMap<>()).put(run.number(), run);
        if (run.state() == RunState.SUCCEEDED) {
            succeeded.computeIfAbsent(run.key(), key -> new TreeSet<>(BY_END)).add(run);
        }
        if (run.state() == RunState.DEAD) {
            dead.put(run.number(), run);
        }
        if (run.state().isFailure()) {
            failed.computeIfAbsent(run.key().tenant(), tenant -> new TreeSet<>(BY_END))
                    .add(run);
        }
        return before;
    }

    /** The run has ended and has no valid idempotency key: from now on it may be deleted. */
    void release(Run run) {
        (isOpenLetter(run) ? openLetters : ended).add(run);
    }

    void add(Attempt attempt) {
        attempts.computeIfAbsent(attempt.run(), run -> new ArrayList<>()).add(attempt);
    }

    void settle(RunId id, DeadLetter.Disposition disposition) {
        dispositions.put(id, disposition);
        Run run = runs.get(id);
        if (run != null && openLetters.remove(run)) {
            ended.add(run);
        }
    }

    List<Attempt> attempts(RunId id) {
        return List.copyOf(attempts.getOrDefault(id, List.of()));
    }

    DeadLetter.@Nullable Disposition disposition(RunId id) {
        return dispositions.get(id);
    }

    /** Dead letters whose runs have a number above {@code after}, in the order of submission. */
    Stream<DeadLetter> deadLetters(long after) {
        return dead.tailMap(after, false).values().stream().map(run -> new DeadLetter(run, dispositions.get(run.id())));
    }

    /** The runs of a tenant that failed at {@code since} or later, the last first. */
    List<Run> failedSince(String tenant, Instant since) {
        return failed.getOrDefault(tenant, Collections.emptyNavigableSet()).descendingSet().stream()
                .takeWhile(run -> !run.status().since().isBefore(since))
                .toList();
    }

    List<Run> newestFirst(String tenant) {
        return List.copyOf(byTenant.getOrDefault(tenant, Collections.emptyNavigableMap())
                .descendingMap()
                .values());
    }

    /** One more run than requested, if there is one. */
    List<Run> list(RunQuery query) {
        NavigableMap<Long, Run> all = query.key() == null
                ? byTenant.getOrDefault(query.tenant(), Collections.emptyNavigableMap())
                : byKey.getOrDefault(query.key(), Collections.emptyNavigableMap());
        Collection<Run> inOrder;
        if (query.descending()) {
            inOrder = (query.after() == 0 ? all : all.headMap(query.after(), false))
                    .descendingMap()
                    .values();
        } else {
            inOrder = all.tailMap(query.after(), false).values();
        }
        boolean open = query.failure() != null && query.failure().open();
        return inOrder.stream()
                .filter(run -> query.matches(run) && (!open || isOpenLetter(run)))
                .limit(query.limit() + 1L)
                .toList();
    }

    /** How long the last attempts of the key's last successful runs took. */
    List<Duration> pastRuntimes(LockKey key) {
        return succeeded.getOrDefault(key, Collections.emptyNavigableSet()).descendingSet().stream()
                .limit(WaitRules.PAST)
                .flatMap(run -> run.status().lastTurn().stream()
                        .map(turn ->
                                Duration.between(turn.startedAt(), run.status().since())))
                .toList();
    }

    /** Deletes up to {@code limit} runs older than their retention, and all their data. */
    List<Run> forget(Retention retention, Instant now, int limit) {
        List<Run> over = new ArrayList<>();
        take(ended, run -> isOver(run, retention.runs(), now), limit, over);
        take(openLetters, run -> isOver(run, retention.deadLetters(), now), limit, over);
        over.forEach(this::remove);
        return over;
    }

    boolean isOpenLetter(Run run) {
        return run.state() == RunState.DEAD && !dispositions.containsKey(run.id());
    }

    private static boolean isOver(Run run, Duration kept, Instant now) {
        return !run.status().since().plus(kept).isAfter(now);
    }

    private static void take(NavigableSet<Run> from, Predicate<Run> isOver, int limit, List<Run> taken) {
        while (taken.size() < limit && !from.isEmpty() && isOver.test(from.first())) {
            taken.add(from.first());
            from.remove(from.first());
        }
    }

    private void remove(Run run) {
        runs.remove(run.id());
        attempts.remove(run.id());
        dispositions.remove(run.id());
        dead.remove(run.number());
        failed.computeIfPresent(run.key().tenant(), (tenant, runs) -> runs.remove(run) && runs.isEmpty() ? null : runs);
        remove(byTenant, run.key().tenant(), run);
        remove(byKey, run.key(), run);
        succeeded.computeIfPresent(run.key(), (key, runs) -> runs.remove(run) && runs.isEmpty() ? null : runs);
    }

    private static <K> void remove(Map<K, NavigableMap<Long, Run>> index, K place, Run run) {
        index.computeIfPresent(
                place, (known, runs) -> runs.remove(run.number()) != null && runs.isEmpty() ? null : runs);
    }
}
