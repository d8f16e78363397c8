package io.interlock.spi;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Requests one key, or several keys of which all are granted or none.
 *
 * @param keys sorted and without repetition
 * @param id the id of the grant; a repeated request with it returns the existing grant
 * @param terms how long the lease lasts, and its lock delay
 * @param waits whether the requester waits for a wake-up if it is refused
 */
public record AcquireRequest(
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
