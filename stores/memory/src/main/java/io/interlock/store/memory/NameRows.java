package io.interlock.store.memory;

import io.interlock.RunId;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Idempotency keys, by name and by expiry. Guarded by the monitor of its {@link RunRows}. */
final class NameRows {

    private final Map<Name, Remembered> names = new HashMap<>();
    private final Map<RunId, Integer> countByRun = new HashMap<>();
    private final NavigableSet<Remembered> byEnd = new TreeSet<>(Comparator.comparing(Remembered::until)
            .thenComparing(known -> known.name().tenant())
            .thenComparing(known -> known.name().name()));

    private final Consumer<RunId> nameless;

    /** {@code nameless} gets each run whose last key is deleted. */
    NameRows(Consumer<RunId> nameless) {
        this.nameless = nameless;
    }

    /** An idempotency key of a tenant. */
    record Name(String tenant, String name) {}

    /** The submission with an idempotency key. */
    record Remembered(Name name, String fingerprint, RunId run, Instant until) {

        boolean countsAt(Instant now) {
            return until.isAfter(now);
        }
    }

    Optional<Remembered> find(Name name, Instant now) {
        return Optional.ofNullable(names.get(name)).filter(known -> known.countsAt(now));
    }

    /** Stores the idempotency key {@code name} of {@code run}, in place of an expired one. */
    void remember(Name name, SubmitRequest.Idempotency idempotency, RunId run, Instant now) {
        Remembered before = names.get(name);
        if (before != null) {
            forget(before);
        }
        Remembered known = new Remembered(name, idempotency.fingerprint(), run, now.plus(idempotency.keepFor()));
        names.put(name, known);
        byEnd.add(known);
        countByRun.merge(run, 1, Integer::sum);
    }

    /** Whether the run has a valid idempotency key. */
    boolean stand(RunId run) {
        return countByRun.containsKey(run);
    }

    /**
     * Deletes up to {@code limit} keys that have expired at {@code now}.
     *
     * @return how many
     */
    int forgetOver(Instant now, int limit) {
        int forgotten = 0;
        for (; forgotten < limit && !byEnd.isEmpty() && !byEnd.first().countsAt(now); forgotten++) {
            forget(byEnd.first());
        }
        return forgotten;
    }

    private void forget(Remembered known) {
        names.remove(known.name());
        byEnd.remove(known);
        if (countByRun.computeIfPresent(known.run(), (run, count) -> count == 1 ? null : count - 1) == null) {
            nameless.accept(known.run());
        }
    }
}
