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
 * Asks for one key, or for several of which all are wanted or none.
 *
 * @param keys sorted and without repetition
 * @param id the name of the grant; asking again with it returns the grant already made
 * @param holder who asks
 * @param terms how long it lasts and how long the key stays closed after a bad end
 * @param waits whether the asker will wait for a wake-up if refused
 * @param takeover what to do about a lease that ended by itself
 */
public record AcquireRequest(
        List<LockKey> keys, LeaseId id, Holder holder, LeaseTerms terms, boolean waits, Takeover takeover) {

    /** The most keys one request may ask for. */
    public static final int MAX_KEYS = 100;

    /** Sorts the keys and checks their number. */
    public AcquireRequest {
        keys = List.copyOf(new TreeSet<>(keys));
        if (keys.isEmpty() || keys.size() > MAX_KEYS) {
            throw new InvalidSettingException(
                    "number of keys",
                    keys.size(),
                    "must be from 1 to " + MAX_KEYS,
                    "ask for fewer keys at once, or for one key that stands for all of them");
        }
    }

    /** Asks for one key, without waiting, for {@code ttl}. */
    public static AcquireRequest of(LockKey key, LeaseId id, Holder holder, Duration ttl) {
        return of(List.of(key), id, holder, ttl);
    }

    /** Asks for all of {@code keys} or none, without waiting, for {@code ttl}. */
    public static AcquireRequest of(Collection<LockKey> keys, LeaseId id, Holder holder, Duration ttl) {
        return new AcquireRequest(List.copyOf(keys), id, holder, LeaseTerms.of(ttl), false, Takeover.allowed());
    }

    /** This request on other terms. */
    public AcquireRequest on(LeaseTerms terms) {
        return new AcquireRequest(keys, id, holder, terms, waits, takeover);
    }

    /** This request, by somebody who will wait for a wake-up. */
    public AcquireRequest waiting() {
        return new AcquireRequest(keys, id, holder, terms, true, takeover);
    }

    /** This request under another rule for leases that ended by themselves. */
    public AcquireRequest taking(Takeover takeover) {
        return new AcquireRequest(keys, id, holder, terms, waits, takeover);
    }

    /**
     * What to do about a lease that ended by itself and whose work may still go on.
     *
     * <p>A lease granted to somebody who asks is left by {@link LeaseStore#sweep}, so that its successor can ask too. An
     * eviction settles the question: whoever took the lease away by force has looked.
     *
     * @param ask whether the asker wants to look outside before it is granted such a key
     * @param cleared the tokens of such leases that it has looked after; the key is granted if its token is unchanged
     */
    public record Takeover(boolean ask, Map<LockKey, FencingToken> cleared) {

        private static final Takeover ALLOWED = new Takeover(false, Map.of());

        /** Copies the tokens. */
        public Takeover {
            cleared = Map.copyOf(cleared);
        }

        /** Take the key; the lease is over. */
        public static Takeover allowed() {
            return ALLOWED;
        }

        /** Take only keys whose last lease has one of these tokens, or did not end by itself. */
        public static Takeover onlyCleared(Map<LockKey, FencingToken> cleared) {
            return new Takeover(true, cleared);
        }
    }
}
