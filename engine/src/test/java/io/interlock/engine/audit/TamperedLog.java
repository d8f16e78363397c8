package io.interlock.engine.audit;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.AuditChain.AuditSignature;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AuditLog;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An audit log whose rows a test can change, as a user who can write to the database can. */
final class TamperedLog implements AuditLog {

    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    static final LockKey KEY = LockKey.of("acme", "ledger");

    final TreeMap<Long, AuditRecord> records = new TreeMap<>();
    final TreeMap<Long, Seal> links = new TreeMap<>();
    Seal head = Seal.GENESIS;
    Seal anchor = Seal.GENESIS;
    AuditSignature signature = AuditSignature.NONE;
    long unused;
    Runnable afterReading = () -> {};
    Runnable beforeSeal = () -> {};
    Runnable beforePage = () -> {};
    private long sequence;

    static RunId run(int number) {
        return new RunId(new UUID(0x7000, number));
    }

    @Override
    public synchronized void append(List<AuditRecord> added) {
        added.forEach(this::append);
    }

    synchronized void append(AuditRecord record) {
        sequence++;
        records.put(sequence, record.at(sequence));
    }

    void add(LockKey key, int run, long token, String before, String after) {
        append(new AuditRecord(
                0,
                START,
                key,
                run(run),
                new FencingToken(token),
                "worker",
                "run",
                before,
                after,
                "because",
                null,
                null));
    }

    void began(int run, long token) {
        add(KEY, run, token, "PENDING", "RUNNING");
    }

    void ended(int run, long token) {
        add(KEY, run, token, "RUNNING", "SUCCEEDED");
    }

    /** Runs that came one after the other, as they should: two records each. */
    TamperedLog runs(int count) {
        for (int run = 1; run <= count; run++) {
            began(run, run);
            ended(run, run);
        }
        return this;
    }

    TamperedLog sealed() {
        new AuditSealer(this).runOnce();
        return this;
    }

    void edit(long sequence, UnaryOperator<AuditRecord> change) {
        records.computeIfPresent(sequence, (number, record) -> change.apply(record));
    }

    static AuditRecord blaming(AuditRecord record, String actor) {
        return new AuditRecord(
                record.sequence(),
                record.at(),
                record.key(),
                record.run(),
                record.token(),
                actor,
                record.action(),
                record.before(),
                record.after(),
                record.reason(),
                record.correlation(),
                record.address());
    }

    /** Forgets everything up to a position, as retention does. */
    synchronized void forgetUpTo(long position) {
        links.headMap(position, true).values().forEach(link -> {
            records.remove(link.sequence());
            anchor = link;
        });
        links.headMap(position, true).clear();
    }

    @Override
    public List<AuditRecord> records(AuditQuery query) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<AuditRecord> records(LockKey key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<AuditRecord> unsealed(int limit) {
        List<AuditRecord> found;
        synchronized (this) {
            Set<Long> done = links.values().stream().map(Seal::sequence).collect(Collectors.toSet());
            found = records.values().stream()
                    .filter(record -> !done.contains(record.sequence()))
                    .limit(limit)
                    .toList();
        }
        afterReading.run();
        return found;
    }

    @Override
    public synchronized Seal head() {
        return head;
    }

    @Override
    public synchronized Seal anchor() {
        return anchor;
    }

    @Override
    public boolean seal(Seal head, List<Seal> added) {
        beforeSeal.run();
        synchronized (this) {
            if (!this.head.equals(head)) {
                return false;
            }
            added.forEach(link -> links.put(link.position(), link));
            this.head = added.get(added.size() - 1);
            return true;
        }
    }

    @Override
    public synchronized AuditSignature signature() {
        return signature;
    }

    @Override
    public synchronized boolean sign(AuditSignature before, AuditSignature next) {
        if (signature.equals(before)) {
            signature = next;
        }
        return signature.equals(next);
    }

    @Override
    public synchronized Numbers numbers() {
        long kept = records.isEmpty() ? 0 : records.lastKey();
        return new Numbers(sequence, Math.max(kept, anchor.sequence()), unused);
    }

    @Override
    public List<Sealed> sealed(long after, int limit) {
        beforePage.run();
        synchronized (this) {
            return links.tailMap(after, false).values().stream()
                    .limit(limit)
                    .map(link -> new Sealed(link, record(link)))
                    .toList();
        }
    }

    private @Nullable AuditRecord record(Seal link) {
        return records.get(link.sequence());
    }
}
