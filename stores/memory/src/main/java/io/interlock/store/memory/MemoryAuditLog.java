package io.interlock.store.memory;

import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.AuditSignature;
import io.interlock.run.Seal;
import io.interlock.spi.run.AuditLog;
import java.util.List;

/** The audit log and its chain. */
class MemoryAuditLog implements AuditLog {

    private final RunTable table;

    MemoryAuditLog(RunTable table) {
        this.table = table;
    }

    @Override
    public void append(List<AuditRecord> records) {
        table.alone(rows -> {
            records.forEach(record -> rows.audit.append(record.at(table.now())));
            return records.size();
        });
    }

    @Override
    public List<AuditRecord> records(AuditQuery query) {
        return table.alone(rows -> rows.audit.newestFirst(query));
    }

    @Override
    public List<AuditRecord> unsealed(int limit) {
        return table.alone(rows -> rows.audit.unsealed(limit));
    }

    @Override
    public Seal head() {
        return table.alone(rows -> rows.audit.head());
    }

    @Override
    public Seal anchor() {
        return table.alone(rows -> rows.audit.anchor());
    }

    @Override
    public boolean seal(Seal head, List<Seal> links) {
        return table.alone(rows -> {
            if (!rows.audit.head().equals(head)) {
                return false;
            }
            rows.audit.seal(links);
            return true;
        });
    }

    @Override
    public AuditSignature signature() {
        return table.alone(rows -> rows.audit.signature());
    }

    @Override
    public boolean sign(AuditSignature before, AuditSignature next) {
        return table.alone(rows -> {
            if (!rows.audit.signature().equals(before)) {
                return rows.audit.signature().equals(next);
            }
            rows.audit.sign(next);
            return true;
        });
    }

    @Override
    public Numbers numbers() {
        return table.alone(rows -> rows.audit.numbers());
    }

    @Override
    public List<Sealed> sealed(long after, int limit) {
        return table.alone(rows -> rows.audit.sealed(after, limit));
    }
}
