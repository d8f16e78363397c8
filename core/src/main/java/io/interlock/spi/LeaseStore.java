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
 * Keeps leases: at most one live lease per key, by the store's own clock, each with a greater token than all before it.
 *
 * <p>All methods block, may be called by many threads at once, and throw {@link StoreUnavailableException} when the store
 * does not answer clearly. Such a call may have taken effect; repeating it with the same ids is safe. Every call ends within
 * a bounded time, whatever the network does, because whoever waits for a key waits for these calls. Interrupting a caller
 * has no effect on a step under way.
 *
 * <p>A batch is no transaction: each request stands for itself, and requests for one key are answered as if made one after
 * the other, in the order given. A batch of more than one may leave requests {@linkplain Answers open} whose key somebody
 * else is changing at that moment; a batch of one never does.
 */
public interface LeaseStore extends AutoCloseable {

    /** What this store can do, as data. */
    StoreCapabilities capabilities();

    /** Grants what is free. A request for several keys gets all of them or none. */
    Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests);

    /**
     * Lets leases that are still live end the given time from now, also if that is earlier than they would have ended.
     * Implementations use a connection of its own for this, so that renewals never wait behind acquires.
     */
    Answers<RenewAnswer> renew(List<RenewRequest> requests);

    /** Ends leases whose holder is done. */
    Answers<ReleaseAnswer> release(List<ReleaseRequest> requests);

    /** Takes a lease away by force, if it still has the expected token. */
    EvictAnswer evict(EvictRequest request);

    /**
     * The leases of these keys, in their order. A lease that ended by itself is reported, as
     * {@linkplain LeaseRecord#isExpired() expired}, until somebody takes the key or {@link #sweep} clears it.
     */
    List<Optional<LeaseRecord>> find(List<LockKey> keys);

    /** Leases that have not ended, in the order of their keys. */
    LeasePage list(LeaseQuery query);

    /**
     * Clears up to {@code limit} leases that ended by themselves and whose lock delay is over, and forgets keys nobody has
     * used since; tokens stay greater than all before. Leases whose successor has to look outside first stay, unless they
     * were evicted. Any number of processes may sweep at once.
     *
     * @return the leases that were cleared by this call
     */
    List<LeaseRecord> sweep(int limit);

    /**
     * Starts a new epoch, in which every token is greater than all before, and grants nothing until every lease given out
     * before must be over; leases the store still knows keep renewing. For an operator who has restored a backup.
     *
     * @param reason why, for the log
     * @return when it grants again, by the store's clock
     */
    Instant bumpEpoch(String reason);

    /** Wake-ups about keys that may have become free. */
    ChangeFeed changes();

    /** Closes connections and threads; leases stay. May be called twice. */
    @Override
    void close();
}
