package io.interlock.store.memory;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.RefusalCount;
import io.interlock.run.WorkerNote;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Output, counts, workers and bookmarks. Whoever reads or changes them holds the monitor of the {@link RunRows} they belong
 * to.
 */
final class NoteRows {

    private static final Comparator<WorkerNote> LAST_FIRST = Comparator.comparing(WorkerNote::seenAt)
            .reversed()
            .thenComparing(worker -> worker.worker().instance());

    private final Map<RunId, String> outputs = new HashMap<>();
    private final Map<LockKey, Map<Counted, RefusalCount>> refusals = new HashMap<>();
    private final Map<String, WorkerNote> workers = new HashMap<>();
    private final Map<String, Long> bookmarks = new HashMap<>();

    /** What a count under a key stands for. */
    private record Counted(String node, Instant minute, ConflictPolicy policy, RefusalCount.Outcome outcome) {

        static Counted by(RefusalCount count) {
            return new Counted(count.node(), count.minute(), count.policy(), count.outcome());
        }
    }

    void keepOutput(RunId run, String text) {
        outputs.put(run, text);
    }

    Optional<String> output(RunId run) {
        return Optional.ofNullable(outputs.get(run));
    }

    void count(RefusalCount count) {
        refusals.computeIfAbsent(count.key(), key -> new HashMap<>())
                .merge(Counted.by(count), count, (known, said) -> said.count() > known.count() ? said : known);
    }

    List<RefusalCount> refusals(LockKey key, Instant since) {
        return refusals.getOrDefault(key, Map.of()).values().stream()
                .filter(count -> !count.minute().isBefore(since))
                .sorted(Comparator.comparing(RefusalCount::minute)
                        .thenComparing(RefusalCount::node)
                        .thenComparing(RefusalCount::policy)
                        .thenComparing(RefusalCount::outcome))
                .toList();
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

    List<WorkerNote> workers(String tenant, Instant since, int limit) {
        return workers.values().stream()
                .filter(worker -> worker.worksFor(tenant) && !worker.seenAt().isBefore(since))
                .sorted(LAST_FIRST)
                .limit(limit)
                .toList();
    }

    long bookmark(String name) {
        return bookmarks.getOrDefault(name, 0L);
    }

    void moveBookmark(String name, long value) {
        bookmarks.put(name, value);
    }

    void forget(RunId run) {
        outputs.remove(run);
    }

    /** Forgets what was counted or seen before {@code then}. */
    void forgetBefore(Instant then) {
        refusals.values()
                .forEach(counts ->
                        counts.keySet().removeIf(counted -> counted.minute().isBefore(then)));
        refusals.values().removeIf(Map::isEmpty);
        workers.values().removeIf(worker -> worker.seenAt().isBefore(then));
    }

    /** Forgets remote workers that were last there before {@code then}. */
    void forgetRemoteBefore(Instant then) {
        workers.values().removeIf(worker -> worker.isRemote() && worker.seenAt().isBefore(then));
    }
}
