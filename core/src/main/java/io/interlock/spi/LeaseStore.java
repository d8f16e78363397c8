package io.interlock.spi;

import io.interlock.EvictAnswer;
import io.interlock.LeasePage;
import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Keeps leases: at most one live lease per key, by the store's own clock, each with a greater token than all earlier
 * ones.
 *
 * <p>All methods block, are thread-safe, and throw {@link StoreUnavailableException} if the store does not answer
 * clearly. Such a call may have taken effect; repeating it with the same ids is safe. Every call ends within a bounded
 * time, whatever the network does, because waiting callers depend on it. Interrupting a caller has no effect on a step
 * in progress.
 *
 * <p>A batch is not a transaction: each request is independent, and requests for one key are answered as if they were
 * sent one after the other, in the given order. A batch of more than one may leave requests {@linkplain Answers open}
 * whose key another step is changing; a batch of one never does.
 */
public interface LeaseStore extends AutoCloseable {

    /** The properties of this store. */
    StoreCapabilities capabilities();

    /** Grants what is free. A request for several keys gets all of them or none. */
    Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests);

    /**
     * Sets the end of live leases to the given time from now, even if that is earlier than before. Implementations use
     * a separate connection for this, so that renewals never wait behind acquires.
     */
    Answers<RenewAnswer> renew(List<RenewRequest> requests);

    /** Releases leases. */
    Answers<ReleaseAnswer> release(List<ReleaseRequest> requests);

    /** Evicts a lease, if it still has the expected token. */
    EvictAnswer evict(EvictRequest request);

    /**
     * The leases of these keys, in their order. An expired lease is reported as
     * {@linkplain LeaseRecord#isExpired() expired} until the key is granted again or {@link #sweep} deletes it.
     */
    List<Optional<LeaseRecord>> find(List<LockKey> keys);

    /**
     * The leases granted to {@code request}, whose answer was lost. A store that does not show the ids of leases may repeat the request,
     * which is then granted if its keys are free.
     */
    default List<LeaseRecord> granted(AcquireRequest request) {
        return find(request.keys()).stream()
                .flatMap(Optional::stream)
                .filter(lease -> lease.id().equals(request.id()))
                .toList();
    }

    /** Leases that have not ended, in the order of their keys. */
    LeasePage list(LeaseQuery query);

    /**
     * Deletes up to {@code limit} expired leases whose lock delay is over, and the rows of unused keys; later tokens
     * are still greater than all earlier ones. Leases that await a probe stay, unless they were evicted. Any number of
     * processes may sweep at once.
     *
     * @return the leases that this call deleted
     */
    List<LeaseRecord> sweep(int limit);

    /**
     * Starts a new epoch, in which every token is greater than all earlier ones, and grants nothing until all earlier
     * leases must have expired; existing leases can be renewed. For operators, after restoring a backup.
     *
     * @return when it grants again, by the store's clock
     */
    Instant bumpEpoch(String reason);

    /** Wake-ups about keys that may have become free. */
    ChangeFeed changes();

    /** Closes connections and threads; leases stay. May be called twice. */
    @Override
    void close();
}
