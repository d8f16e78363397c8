package io.interlock.store.memory;

import io.interlock.RunId;
import io.interlock.spi.run.SubmitRequest;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Idempotency keys. Whoever reads or changes them holds the monitor of the {@link RunRows} they belong to. */
final class NameRows {

    private final Map<Name, Remembered> names = new HashMap<>();

    /** Something a tenant has a name for. */
    record Name(String tenant, String name) {}

    /** What a tenant submitted under a name. */
    record Remembered(String fingerprint, RunId run, Instant until) {

        boolean countsAt(Instant now) {
            return until.isAfter(now);
        }
    }

    Optional<Remembered> find(Name name, Instant now) {
        return Optional.ofNullable(names.get(name)).filter(known -> known.countsAt(now));
    }

    void remember(Name name, SubmitRequest.Idempotency idempotency, RunId run, Instant now) {
        names.put(name, new Remembered(idempotency.fingerprint(), run, now.plus(idempotency.keepFor())));
    }

    /** The runs whose names still count; names that no longer do are forgotten. */
    Set<RunId> counting(Instant now) {
        names.values().removeIf(known -> !known.countsAt(now));
        return names.values().stream().map(Remembered::run).collect(Collectors.toSet());
    }
}
