package io.interlock.store.sqlite;

import io.interlock.spi.TokenLayout;

/**
 * What holds for all keys: the row of the table {@code store}. Times are {@link Micros}.
 *
 * @param bootId the boot in which {@code uptime} was read
 * @param bootedAt the moment of that boot
 * @param uptime the greatest time since boot that anybody has written
 * @param tokens what tokens are made from
 * @param maxLease the longest lease anybody may have been granted
 * @param quietUntil nothing is granted before
 */
record StoreState(String bootId, long bootedAt, long uptime, Tokens tokens, long maxLease, long quietUntil) {

    /**
     * What tokens are made from, beside the clock.
     *
     * @param epoch their upper bits
     * @param floor no smaller than any token whose row was deleted
     */
    record Tokens(int epoch, long floor) {

        Tokens above(long token) {
            return token > floor ? new Tokens(epoch, token) : this;
        }

        /** The next epoch: above this one, and above the upper bits of {@code greatest} and of all deleted tokens. */
        Tokens next(long greatest) {
            long used = Math.max(epoch, Math.max(greatest, floor) >> TokenLayout.LOW_BITS);
            return new Tokens(Math.toIntExact(used + 1), floor);
        }
    }

    StoreState at(long newUptime) {
        return new StoreState(bootId, bootedAt, Math.max(uptime, newUptime), tokens, maxLease, quietUntil);
    }

    StoreState with(Tokens newTokens) {
        return new StoreState(bootId, bootedAt, uptime, newTokens, maxLease, quietUntil);
    }

    StoreState withMaxLease(long longer) {
        return new StoreState(bootId, bootedAt, uptime, tokens, longer, quietUntil);
    }

    StoreState quietUntil(long moment) {
        return new StoreState(bootId, bootedAt, uptime, tokens, maxLease, moment);
    }

    /** The store's time when {@code uptime} was read. */
    long moment() {
        return bootedAt + uptime;
    }
}
