package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.run.AuditChain.AuditSignature;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AuditLog;
import java.util.List;

/** The audit log in memory. */
class MemoryAudit implements AuditLog {

    private final MemoryClient client;

    MemoryAudit(MemoryClient client) {
        this.client = client;
    }

    @Override
    public void append(List<AuditRecord> records) {
        client.change(rows -> records.forEach(
                record -> rows.audit.append(record.at(client.table().now()))));
    }

    @Override
    public List<AuditRecord> records(AuditQuery query) {
        return client.alone(rows -> rows.audit.newestFirst(query));
    }

    @Override
    public List<AuditRecord> records(LockKey key) {
        return client.alone(rows -> rows.audit.of(key));
    }

    @Override
    public List<AuditRecord> unsealed(int limit) {
        return client.alone(rows -> rows.audit.unsealed(limit));
    }

    @Override
    public Seal head() {
        return client.alone(rows -> rows.audit.head());
    }

    @Override
    public Seal anchor() {
        return client.alone(rows -> rows.audit.anchor());
    }

    @Override
    public boolean seal(Seal head, List<Seal> links) {
        return client.alone(rows -> rows.audit.seal(head, links));
    }

    @Override
    public List<Sealed> sealed(long after, int limit) {
        return client.alone(rows -> rows.audit.sealed(after, limit));
    }

    @Override
    public AuditSignature signature() {
        return client.alone(rows -> rows.audit.signature());
    }

    @Override
    public boolean sign(AuditSignature before, AuditSignature next) {
        return client.alone(rows -> rows.audit.sign(before, next));
    }

    @Override
    public Numbers numbers() {
        return client.alone(rows -> rows.audit.numbers());
    }
}
