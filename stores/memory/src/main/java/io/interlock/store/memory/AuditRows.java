package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.run.AuditRecord;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** All that was done, in order. Whoever reads or changes it holds the monitor of the {@link RunRows} it belongs to. */
final class AuditRows {

    private final NavigableMap<Long, AuditRecord> records = new TreeMap<>();
    private long last;

    void append(AuditRecord record) {
        last++;
        records.put(last, record.at(last));
    }

    /** What was done under a key, in order. */
    List<AuditRecord> of(LockKey key) {
        return records.values().stream()
                .filter(record -> record.key().equals(key))
                .toList();
    }
}
