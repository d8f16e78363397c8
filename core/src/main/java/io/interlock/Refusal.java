package io.interlock;

import java.time.Duration;
import java.time.Instant;

/** Why a key was not granted, as facts. {@link #explanation()} says the same in one sentence for people. */
public sealed interface Refusal
        permits Refusal.Held,
                Refusal.Delayed,
                Refusal.AwaitsProbe,
                Refusal.StillRunning,
                Refusal.StoreRecovering,
                Refusal.HeldByCaller,
                RunRefusal {

    /** Which key stood in the way. */
    LockKey key();

    /** How long to wait, at the least, before asking again can help without a wake-up. */
    Duration retryAfter();

    /** The facts in one sentence. */
    String explanation();

    /** What it is, for programs: the word that the REST interface and the command line use as well. */
    default String code() {
        return "lock-held";
    }

    /**
     * Somebody has the key.
     *
     * @param current the lease in the way; if it was evicted, its holder has not confirmed yet that it stopped
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
     * A lease ended by expiry or force, and its lock delay is not over.
     *
     * @param ended the lease that ended
     * @param until when the key opens, by the store's clock
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
     * The last lease expired, and the asker wants to look outside before taking the key over.
     *
     * @param expired the lease whose work may still be going on
     */
    record AwaitsProbe(LeaseRecord expired) implements Refusal {
        @Override
        public LockKey key() {
            return expired.key();
        }

        @Override
        public Duration retryAfter() {
            return Duration.ZERO;
        }

        @Override
        public String explanation() {
            return key() + " was held by " + expired.holder().label() + " with token " + expired.token()
                    + ", its lease expired, and nobody has checked yet whether its work still runs";
        }
    }

    /**
     * The last lease expired, but the take-over probe says its work still runs, or could not tell.
     *
     * @param expired the lease whose work goes on
     * @param finding what the probe found
     * @param retryAfter when to probe again
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
     * The store lost, or may have lost, leases and grants nothing until all of them must be over.
     *
     * @param key the key that was asked for
     * @param observedAt the store's time
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
                    + ": the store may have lost leases and waits until all of them must be over";
        }
    }

    /**
     * The thread that asks has the key itself. Leases are not re-entrant, and waiting would never end.
     *
     * @param current the asker's own lease
     */
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
            return key() + " is already held by the thread that asks, with token " + current.token()
                    + "; leases are not re-entrant";
        }
    }
}
