package io.interlock.store.sqlite;

import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The store's time: the moment of boot, which the first process of a boot writes down, plus the time since. It never goes
 * back, and processes that share a file agree on it.
 */
final class StoreClock {

    /** How far a reading may be behind what was written before it must come from another clock. */
    private static final Duration TOLERANCE = Duration.ofSeconds(1);

    private static final String NEXT_STEP =
            "let all processes that share the file run in the same time namespace, or use postgresql:";

    private final String store;
    private final HostClock host;
    private final InstantSource wall;

    StoreClock(String store, HostClock host, InstantSource wall) {
        this.store = store;
        this.host = host;
        this.wall = wall;
    }

    Duration precision() {
        return host.precision();
    }

    /** The wall clock, which tokens are made from. It decides nothing about leases. */
    InstantSource wall() {
        return wall;
    }

    /**
     * {@code state} with its uptime brought to now. Reading the clock must come after the state was read, and for a writer
     * after it became the only one.
     *
     * @throws StoreUnavailableException if this process and the store do not share a clock
     */
    StoreState now(@Nullable StoreState state) {
        if (state == null) {
            throw new StoreUnavailableException(store, "has lost its row of settings; open it again");
        }
        if (!state.bootId().equals(host.bootId())) {
            throw new StoreUnavailableException(
                    store, "is used on another machine by now (boot " + state.bootId() + "); give each its own file");
        }
        long uptime = uptime();
        if (lags(state, uptime)) {
            throw new StoreUnavailableException(store, lag(state, uptime) + "; " + NEXT_STEP);
        }
        return state.at(uptime);
    }

    /**
     * The state a store is opened in: as it was if this is the same boot, or with the moment of this boot, which is no
     * earlier than anything the store has written.
     *
     * @throws UnsafeStoreException if this process and the store do not share a clock
     */
    StoreState atOpening(@Nullable StoreState before, long maxLease) {
        long uptime = uptime();
        if (before != null && before.bootId().equals(host.bootId())) {
            if (lags(before, uptime)) {
                throw new UnsafeStoreException(store, lag(before, uptime), NEXT_STEP);
            }
            return before.at(uptime).withMaxLease(Math.max(before.maxLease(), maxLease));
        }
        long bootedAt = Micros.of(wall.instant()) - uptime;
        if (before == null) {
            return new StoreState(host.bootId(), bootedAt, uptime, new StoreState.Tokens(0, 0), maxLease, 0);
        }
        return new StoreState(
                host.bootId(),
                Math.max(bootedAt, before.moment()),
                uptime,
                before.tokens(),
                Math.max(before.maxLease(), maxLease),
                before.quietUntil());
    }

    private boolean lags(StoreState state, long uptime) {
        return host.steady() && state.uptime() - uptime > Micros.of(TOLERANCE);
    }

    private static String lag(StoreState state, long uptime) {
        return "was written by a process whose clock is "
                + Micros.duration(state.uptime() - uptime).toMillis() + " ms ahead of this one's";
    }

    private long uptime() {
        try {
            return host.uptime();
        } catch (IOException failure) {
            throw new StoreUnavailableException(store, "has no clock (" + failure + ")", failure);
        }
    }
}
