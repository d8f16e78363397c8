package io.interlock;

import java.time.Duration;
import java.time.Instant;

/** Why a key was not granted, as facts. {@link #explanation()} is the same in one sentence. */
public sealed interface Refusal
        permits Refusal.Held,
                Refusal.Delayed,
                Refusal.AwaitsProbe,
                Refusal.StillRunning,
                Refusal.StoreRecovering,
                Refusal.HeldByCaller,
                Refusal.ByServer,
                RunRefusal {

    /** The key that was not granted. */
    LockKey key();

    /** The minimum time after which a retry without a wake-up can succeed; zero unless time alone opens the key. */
    default Duration retryAfter() {
        return Duration.ZERO;
    }

    /** The facts in one sentence. */
    String explanation();

    /** The code for programs, the same as in the REST interface and on the command line. */
    default String code() {
        return "lock-held";
    }

    /**
     * The key is held.
     *
     * @param current the current lease; if it was evicted, its holder has not yet confirmed that its work has stopped
     */
    record Held(LeaseRecord current) implements Refusal {
        @Override
        public LockKey key() {
            return current.key();
        }

        @Override
        public Duration retryAfter() {
            return current.remaining();
        }

        @Override
        public String explanation() {
            String held = key() + " is held by " + current.holder().label() + " for "
                    + DurationText.format(current.heldFor()) + " with token " + current.token();
            return current.evicted()
                    .map(eviction -> held + "; " + eviction.actor() + " evicted it (" + eviction.reason()
                            + "), the key opens when the holder has stopped, at the latest in "
                            + DurationText.format(current.remaining()))
                    .orElseGet(() -> held + "; its lease ends in " + DurationText.format(current.remaining())
                            + " unless it is renewed");
        }
    }

    /**
     * A lease expired or was evicted, and its lock delay is not over.
     *
     * @param until when the key becomes free, by the store's clock
     */
    record Delayed(LeaseRecord ended, Instant until) implements Refusal {
        @Override
        public LockKey key() {
            return ended.key();
        }

        @Override
        public Duration retryAfter() {
            return Duration.between(ended.observedAt(), until);
        }

        @Override
        public String code() {
            return "lock-delayed";
        }

        @Override
        public String explanation() {
            return key() + " is free but closed for " + DurationText.format(retryAfter())
                    + ": the lease of " + ended.holder().label() + " with token " + ended.token()
                    + " did not end by release, and its lock delay is not over";
        }
    }

    /**
     * The last lease expired, and the client has a take-over probe that must run first.
     *
     * @param expired the lease whose work may still be running
     */
    record AwaitsProbe(LeaseRecord expired) implements Refusal {
        @Override
        public LockKey key() {
            return expired.key();
        }

        @Override
        public String explanation() {
            return key() + " was held by " + expired.holder().label() + " with token " + expired.token()
                    + ", its lease expired, and no take-over probe has checked yet whether its work still runs";
        }
    }

    /**
     * The last lease expired, but the take-over probe found that its work still runs, or could not tell.
     *
     * @param expired the lease whose work still runs
     */
    record StillRunning(LeaseRecord expired, String finding, Duration retryAfter) implements Refusal {
        @Override
        public LockKey key() {
            return expired.key();
        }

        @Override
        public String explanation() {
            return key() + " stays closed: the lease of " + expired.holder().label() + " with token " + expired.token()
                    + " expired, but the take-over probe says: " + finding;
        }
    }

    /**
     * The store may have lost leases, and grants nothing until all of them must have expired.
     *
     * @param until when it grants again
     */
    record StoreRecovering(LockKey key, Instant observedAt, Instant until) implements Refusal {
        @Override
        public Duration retryAfter() {
            return Duration.between(observedAt, until);
        }

        @Override
        public String code() {
            return "store-recovering";
        }

        @Override
        public String explanation() {
            return key + " cannot be granted for " + DurationText.format(retryAfter())
                    + ": the store may have lost leases and waits until all of them must have expired";
        }
    }

    /** The calling thread already has the key. Leases are not re-entrant, and waiting would never end. */
    record HeldByCaller(LeaseRecord current) implements Refusal {
        @Override
        public LockKey key() {
            return current.key();
        }

        @Override
        public Duration retryAfter() {
            return current.remaining();
        }

        @Override
        public String explanation() {
            return key() + " is already held by the calling thread, with token " + current.token()
                    + "; leases are not re-entrant";
        }
    }

    /**
     * A server refused the key, for a reason of which only these facts are known.
     *
     * @param key the requested key
     * @param code the server's code
     * @param explanation the server's explanation
     * @param retryAfter when to ask again
     */
    record ByServer(LockKey key, String code, String explanation, Duration retryAfter) implements Refusal {}
}
