package io.interlock.store.memory;

import static java.util.Objects.requireNonNull;

import io.interlock.LockKey;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.Seal;
import io.interlock.spi.run.AuditLog;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * All that was done, in order, and the chain that seals it. Whoever reads or changes it holds the monitor of the
 * {@link RunRows} it belongs to.
 */
final class AuditRows {

    private final NavigableMap<Long, AuditRecord> records = new TreeMap<>();
    private final NavigableMap<Long, AuditRecord> unsealed = new TreeMap<>();
    private final NavigableMap<Long, Seal> seals = new TreeMap<>();
    private Seal anchor = Seal.GENESIS;
    private long last;

    void append(AuditRecord record) {
        AuditRecord placed = record.at(++last);
        records.put(last, placed);
        unsealed.put(last, placed);
    }

    /** What was done under a key, in order. */
    List<AuditRecord> of(LockKey key) {
        return records.values().stream()
                .filter(record -> record.key().equals(key))
                .toList();
    }

    List<AuditRecord> newestFirst(AuditQuery query) {
        return records.descendingMap().values().stream()
                .filter(query::matches)
                .limit(query.limit())
                .toList();
    }

    List<AuditRecord> unsealed(int limit) {
        return unsealed.values().stream().limit(limit).toList();
    }

    Seal head() {
        return seals.isEmpty() ? anchor : seals.lastEntry().getValue();
    }

    Seal anchor() {
        return anchor;
    }

    void seal(List<Seal> links) {
        links.forEach(link -> {
            seals.put(link.position(), link);
            unsealed.remove(link.sequence());
        });
    }

    List<AuditLog.Sealed> sealed(long after, int limit) {
        return seals.tailMap(after, false).values().stream()
                .limit(limit)
                .map(seal -> new AuditLog.Sealed(seal, records.get(seal.sequence())))
                .toList();
    }

    /**
     * Forgets sealed records made at {@code then} or before, from the beginning of the chain on.
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
            forgotten++;
        }
        return forgotten;
    }
}
