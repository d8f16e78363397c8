package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.run.AuditRecord;
import io.interlock.run.DeadLetter;
import io.interlock.run.Seal;
import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.AuditQuery;
import io.interlock.spi.run.DeadLetterQuery;
import io.interlock.spi.run.DeadLetters;
import io.interlock.spi.run.DiscardAnswer;
import io.interlock.spi.run.DiscardRequest;
import io.interlock.spi.run.RedriveAnswer;
import io.interlock.spi.run.RedriveRequest;
import io.interlock.time.Environment;
import java.util.List;

/** A client's view of what a store in memory keeps beside its runs. Safe for use by many threads. */
abstract class MemoryBooks extends MemoryRuns implements DeadLetters, AuditLog {

    MemoryBooks(Environment environment, RunSteps runs, Watchers<LockKey> watchers) {
        super(environment, runs, watchers);
    }

    private Books books() {
        requireOpen();
        return runs().books();
    }

    @Override
    public List<DeadLetter> deadLetters(DeadLetterQuery query) {
        return books().letters().deadLetters(query);
    }

    @Override
    public RedriveAnswer redrive(RedriveRequest request) {
        return books().letters().redrive(request);
    }

    @Override
    public DiscardAnswer discard(DiscardRequest request) {
        return books().letters().discard(request);
    }

    @Override
    public List<AuditRecord> records(AuditQuery query) {
        return books().audit().records(query);
    }

    @Override
    public List<AuditRecord> unsealed(int limit) {
        return books().audit().unsealed(limit);
    }

    @Override
    public Seal head() {
        return books().audit().head();
    }

    @Override
    public Seal anchor() {
        return books().audit().anchor();
    }

    @Override
    public boolean seal(Seal head, List<Seal> links) {
        return books().audit().seal(head, links);
    }

    @Override
    public List<Sealed> sealed(long after, int limit) {
        return books().audit().sealed(after, limit);
    }
}
