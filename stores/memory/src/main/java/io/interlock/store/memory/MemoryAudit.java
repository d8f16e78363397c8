package io.interlock.store.memory;

import static java.util.Objects.requireNonNull;

import io.interlock.LockKey;
import io.interlock.run.AuditChain.AuditSignature;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AuditLog;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The audit records in memory, in order and by key, and their hash chain. Guarded by the monitor of its {@link RunRows}. */
final class MemoryAudit implements AuditLog {

    private final NavigableMap<Long, AuditRecord> records = new TreeMap<>();
    private final Map<LockKey, NavigableMap<Long, AuditRecord>> byKey = new HashMap<>();
    private final NavigableMap<Long, AuditRecord> unsealed = new TreeMap<>();
    private final NavigableMap<Long, Seal> seals = new TreeMap<>();
    private Seal anchor = Seal.GENESIS;
    private AuditSignature signature = AuditSignature.NONE;
    private final Supplier<Instant> clock;
    private long last;

    MemoryAudit(Supplier<Instant> clock) {
        this.clock = clock;
    }

    @Override
    public void append(List<AuditRecord> records) {
        records.forEach(record -> append(record.at(clock.get())));
    }

    void append(AuditRecord record) {
        AuditRecord placed = record.at(++last);
        records.put(last, placed);
        byKey.computeIfAbsent(record.key(), key -> new TreeMap<>()).put(last, placed);
        unsealed.put(last, placed);
    }

    @Override
    public List<AuditRecord> records(LockKey key) {
        return List.copyOf(byKey.getOrDefault(key, new TreeMap<>()).values());
    }

    @Override
    public List<AuditRecord> records(AuditQuery query) {
        NavigableMap<Long, AuditRecord> all =
                query.key() == null ? records : byKey.getOrDefault(query.key(), new TreeMap<>());
        return (query.before() == 0 ? all : all.headMap(query.before(), false))
                .descendingMap().values().stream()
                        .filter(query::matches)
                        .limit(query.limit())
                        .toList();
    }

    @Override
    public List<AuditRecord> unsealed(int limit) {
        return unsealed.values().stream().limit(limit).toList();
    }

    @Override
    public Seal head() {
        return seals.isEmpty() ? anchor : seals.lastEntry().getValue();
    }

    @Override
    public Seal anchor() {
        return anchor;
    }

    @Override
    public AuditSignature signature() {
        return signature;
    }

    @Override
    public boolean sign(AuditSignature before, AuditSignature next) {
        signature = signature.equals(before) ? next : signature;
        return signature.equals(next);
    }

    @Override
    public Numbers numbers() {
        long kept = records.isEmpty() ? 0 : records.lastKey();
        return new Numbers(last, Math.max(kept, anchor.sequence()), 0);
    }

    @Override
    public boolean seal(Seal head, List<Seal> links) {
        if (!head().equals(head)) {
            return false;
        }
        links.forEach(link -> {
            seals.put(link.position(), link);
            unsealed.remove(link.sequence());
        });
        return true;
    }

    @Override
    public List<Sealed> sealed(long after, int limit) {
        return seals.tailMap(after, false).values().stream()
                .limit(limit)
                .map(seal -> new Sealed(seal, records.get(seal.sequence())))
                .toList();
    }

    /**
     * Deletes sealed records of {@code then} or earlier, from the beginning of the chain.
     *
     * @return how many
     */
    int forget(Instant then, int limit) {
        int forgotten = 0;
        while (forgotten < limit && !seals.isEmpty()) {
            Seal first = seals.firstEntry().getValue();
            AuditRecord record = requireNonNull(records.get(first.sequence()));
            if (record.at().isAfter(then)) {
                break;
            }
            anchor = first;
            seals.remove(first.position());
            records.remove(first.sequence());
            byKey.computeIfPresent(
                    record.key(),
                    (key, known) -> known.remove(first.sequence()) != null && known.isEmpty() ? null : known);
            forgotten++;
        }
        return forgotten;
    }
}
