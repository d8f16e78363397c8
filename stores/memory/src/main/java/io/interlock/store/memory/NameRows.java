package io.interlock.store.memory;

import io.interlock.RunId;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Idempotency keys, by name and by expiry. Guarded by the monitor of its {@link RunRows}. */
final class NameRows {

    private final Map<Name, Remembered> names = new HashMap<>();
    private final Map<RunId, Integer> countByRun = new HashMap<>();
    private final NavigableSet<Remembered> byEnd = new TreeSet<>(Comparator.comparing(Remembered::until)
            .thenComparing(known -> known.name().tenant())
            .thenComparing(known -> known.name().name()));

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

    /**
     * Stores the idempotency key {@code name} of {@code run}.
     *
     * @return its previous run, if that run has no other key left
     */
    Optional<RunId> remember(Name name, SubmitRequest.Idempotency idempotency, RunId run, Instant now) {
        Optional<RunId> before = forget(names.get(name));
        Remembered known = new Remembered(name, idempotency.fingerprint(), run, now.plus(idempotency.keepFor()));
        names.put(name, known);
        byEnd.add(known);
        countByRun.merge(run, 1, Integer::sum);
        return before;
    }

    /** Whether the run has a valid idempotency key. */
    boolean stand(RunId run) {
        return countByRun.containsKey(run);
    }

    /**
     * Deletes up to {@code limit} keys that have expired at {@code now}.
     *
     * @return the runs without a key left
     */
    Forgotten forgetOver(Instant now, int limit) {
        List<RunId> nameless = new ArrayList<>();
        int names = 0;
        for (; names < limit && !byEnd.isEmpty() && !byEnd.first().countsAt(now); names++) {
            forget(byEnd.first()).ifPresent(nameless::add);
        }
        return new Forgotten(names, nameless);
    }

    /**
     * The deleted keys.
     *
     * @param nameless the runs without a key left
     */
    record Forgotten(int names, List<RunId> nameless) {}

    private Optional<RunId> forget(@Nullable Remembered known) {
        if (known == null) {
            return Optional.empty();
        }
        names.remove(known.name());
        byEnd.remove(known);
        Integer left = countByRun.computeIfPresent(known.run(), (run, count) -> count == 1 ? null : count - 1);
        return left == null ? Optional.of(known.run()) : Optional.empty();
    }
}
