package io.interlock.spi;

import io.interlock.Actor;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.run.RunTexts;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

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

    /**
     * Requests one key, or several keys of which all are granted or none.
     *
     * @param keys sorted and without repetition
     * @param id the id of the grant; a repeated request with it returns the existing grant
     * @param terms how long the lease lasts, and its lock delay
     * @param waits whether the requester waits for a wake-up if it is refused
     */
    record AcquireRequest(
            List<LockKey> keys, LeaseId id, Holder holder, LeaseTerms terms, boolean waits, Takeover takeover) {

        /** The maximum number of keys of a request. */
        public static final int MAX_KEYS = 100;

        public AcquireRequest {
            keys = List.copyOf(new TreeSet<>(keys));
            if (keys.isEmpty() || keys.size() > MAX_KEYS) {
                throw new InvalidSettingException(
                        "number of keys",
                        keys.size(),
                        "must be from 1 to " + MAX_KEYS,
                        "request fewer keys at once, or one key that represents all of them");
            }
        }

        /** Requests one key, without waiting, for {@code ttl}. */
        public static AcquireRequest of(LockKey key, LeaseId id, Holder holder, Duration ttl) {
            return of(List.of(key), id, holder, ttl);
        }

        /** Requests all of {@code keys} or none, without waiting, for {@code ttl}. */
        public static AcquireRequest of(Collection<LockKey> keys, LeaseId id, Holder holder, Duration ttl) {
            return new AcquireRequest(List.copyOf(keys), id, holder, LeaseTerms.of(ttl), false, Takeover.allowed());
        }

        /** This request with other terms. */
        public AcquireRequest on(LeaseTerms terms) {
            return new AcquireRequest(keys, id, holder, terms, waits, takeover);
        }

        /** This request, waiting for a wake-up if it is refused. */
        public AcquireRequest waiting() {
            return new AcquireRequest(keys, id, holder, terms, true, takeover);
        }

        /** This request with another handling of expired leases. */
        public AcquireRequest taking(Takeover takeover) {
            return new AcquireRequest(keys, id, holder, terms, waits, takeover);
        }

        /**
         * How to handle an expired lease whose work may still run.
         *
         * <p>{@link LeaseStore#sweep} keeps a lease granted with {@code ask}, so that the next holder can probe too. An
         * eviction ends this: the operator is expected to have checked.
         *
         * @param ask whether the requester wants to run a probe before it is granted such a key
         * @param cleared the tokens of such leases that its probe has cleared; the key is granted if its token is unchanged
         */
        public record Takeover(boolean ask, Map<LockKey, FencingToken> cleared) {

            private static final Takeover ALLOWED = new Takeover(false, Map.of());

            public Takeover {
                cleared = Map.copyOf(cleared);
            }

            /** Take the key without a probe. */
            public static Takeover allowed() {
                return ALLOWED;
            }

            /** Take only keys whose last lease has one of these tokens, or did not expire. */
            public static Takeover onlyCleared(Map<LockKey, FencingToken> cleared) {
                return new Takeover(true, cleared);
            }
        }
    }

    /** The answer of a store to an {@link AcquireRequest}. */
    sealed interface AcquireAnswer {

        /**
         * All keys are granted, in their order.
         *
         * @param grants one for each key
         */
        record Granted(List<Grant> grants) implements AcquireAnswer {
            public Granted {
                grants = List.copyOf(grants);
            }
        }

        /**
         * Nothing is granted, and nothing was written.
         *
         * @param refusal why, for the first key that was not free
         */
        record Refused(Refusal refusal) implements AcquireAnswer {}

        /**
         * The lease of one key.
         *
         * @param takenOver the expired lease that was taken over, if there was one
         */
        record Grant(LeaseRecord lease, @Nullable LeaseRecord takenOver) {

            /** The expired lease that was taken over. */
            public Optional<LeaseRecord> predecessor() {
                return Optional.ofNullable(takenOver);
            }
        }
    }

    /** Extends a lease. */
    record RenewRequest(LockKey key, LeaseId id, FencingToken token, Duration ttl) {}

    /** The answer of a store to a {@link RenewRequest}. */
    sealed interface RenewAnswer {

        /** The lease is renewed. */
        record Renewed(LeaseRecord lease) implements RenewAnswer {}

        /**
         * The lease is lost, and nothing was changed.
         *
         * @param current the lease the store has for the key now, if any
         */
        record Lost(LossCause cause, @Nullable LeaseRecord current) implements RenewAnswer {}
    }

    /** Releases a lease: the holder's work has stopped. */
    record ReleaseRequest(LockKey key, LeaseId id, FencingToken token) {}

    /** The answer of a store to a {@link ReleaseRequest}. In every case the sender no longer has the key. */
    sealed interface ReleaseAnswer {

        /** The answer to the release of a lease that the store had, as it was at its end. */
        static ReleaseAnswer of(LeaseRecord ended) {
            return ended.isLive() ? new Released(ended) : new Lapsed(ended);
        }

        /** The lease was held until now. */
        record Released(LeaseRecord ended) implements ReleaseAnswer {}

        /**
         * The lease had expired or was evicted, and the key had no new holder. Because the release means that the work has
         * stopped, the key becomes free without waiting for lock delay or old expiry.
         */
        record Lapsed(LeaseRecord ended) implements ReleaseAnswer {}

        /**
         * The store does not have this lease, or no longer; nothing was changed. This is also the answer to a repeated
         * release.
         *
         * @param current the lease the store has for the key now, if any
         */
        record Gone(@Nullable LeaseRecord current) implements ReleaseAnswer {}
    }

    /**
     * Ends a lease by force.
     *
     * @param expected the token the actor saw; if the lease has another token now, nothing happens
     */
    record EvictRequest(LockKey key, FencingToken expected, Actor actor, String reason) {

        /** By one in this process. */
        public EvictRequest(LockKey key, FencingToken expected, String actor, String reason) {
            this(key, expected, Actor.of(actor), reason);
        }

        public EvictRequest {
            RunTexts.require("actor", actor.name(), "name who evicts the holder");
            RunTexts.require("reason", reason, "give the reason of the eviction");
        }
    }
}
