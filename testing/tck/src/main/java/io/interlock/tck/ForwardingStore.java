package io.interlock.tck;

import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Forwards every call; subclasses inject faults. */
public abstract class ForwardingStore implements LeaseStore {

    private final LeaseStore store;

    /** Forwards to {@code store}. */
    protected ForwardingStore(LeaseStore store) {
        this.store = store;
    }

    @Override
    public StoreCapabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        return store.tryAcquire(requests);
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        return store.renew(requests);
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        return store.release(requests);
    }

    @Override
    public EvictAnswer evict(EvictRequest request) {
        return store.evict(request);
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        return store.find(keys);
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        return store.list(query);
    }

    @Override
    public List<LeaseRecord> sweep(int limit) {
        return store.sweep(limit);
    }

    @Override
    public Instant bumpEpoch(String reason) {
        return store.bumpEpoch(reason);
    }

    @Override
    public ChangeFeed changes() {
        return store.changes();
    }

    @Override
    public void close() {
        store.close();
    }

    @Override
    public String toString() {
        return store.toString();
    }
}
