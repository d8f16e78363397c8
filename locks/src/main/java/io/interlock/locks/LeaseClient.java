package io.interlock.locks;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.Stores;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Leases by their ids, on any store, for holders that are not in this process: a script that acquires in one command and renews and
 * releases in others. Nothing is renewed here by itself. Every call throws {@link StoreUnavailableException} if the store does not
 * answer clearly, and may then be repeated. Safe for use by many threads.
 */
public final class LeaseClient implements AutoCloseable {

    private final LeaseStore store;
    private final Environment environment;

    private LeaseClient(LeaseStore store, Environment environment) {
        this.store = store;
        this.environment = environment;
    }

    /** Opens the store at {@code url}. Closing this client closes it. */
    public static LeaseClient open(String url, Environment environment) {
        return on(Stores.open(url, environment), environment);
    }

    /** Leases in {@code store}. Closing this client closes it. */
    public static LeaseClient on(LeaseStore store, Environment environment) {
        return new LeaseClient(store, environment);
    }

    /** These leases through a store that passes all steps on to theirs, and times or changes them. Closing either closes the store. */
    public LeaseClient around(UnaryOperator<LeaseStore> wrapper) {
        return new LeaseClient(wrapper.apply(store), environment);
    }

    /**
     * Asks for {@code key}, without waiting. Unlike a {@link Lease}, what is granted ends at its {@code ttl} unless {@link #renew}
     * is called.
     *
     * @return the lease; empty if the key was refused
     */
    public Optional<LeaseRecord> acquire(LockKey key, Duration ttl, Holder holder) {
        LeaseTerms terms = LeaseTerms.of(ttl).within(store.capabilities().maxLease());
        AcquireRequest request = AcquireRequest.of(key, LeaseId.random(environment.random()), holder, ttl)
                .on(terms);
        AcquireAnswer answer = store.tryAcquire(List.of(request)).only();
        return answer instanceof AcquireAnswer.Granted granted
                ? Optional.of(granted.grants().get(0).lease())
                : Optional.empty();
    }

    /** Locks on the same store, to be closed before this client. */
    public LocksBuilder locks() {
        return Locks.builder(store).environment(environment);
    }

    /** Extends a lease that still lives, to {@code ttl} from now; empty if it is over. */
    public Optional<LeaseRecord> renew(LockKey key, LeaseId lease, FencingToken token, Duration ttl) {
        RenewAnswer answer =
                store.renew(List.of(new RenewRequest(key, lease, token, ttl))).only();
        return answer instanceof RenewAnswer.Renewed renewed ? Optional.of(renewed.lease()) : Optional.empty();
    }

    /**
     * Says that the holder is done. In every case it no longer has the key.
     *
     * @return whether it had, or no other holder has had it since
     */
    public boolean release(LockKey key, LeaseId lease, FencingToken token) {
        return !(store.release(List.of(new ReleaseRequest(key, lease, token))).only() instanceof ReleaseAnswer.Gone);
    }

    /**
     * Starts a new epoch, in which every token is greater than all before: for an operator who has restored a backup. Nothing is
     * granted until every lease given out before must be over.
     *
     * @return when it grants again, by the store's clock
     */
    public Instant bumpEpoch(String reason) {
        return store.bumpEpoch(reason);
    }

    @Override
    public void close() {
        store.close();
    }
}
