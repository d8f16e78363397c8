package io.interlock.store.sqlite;

import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.store.sql.Micros;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The store's time: the moment of boot, which the first process of a boot writes down, plus the time since. It never goes
 * back, and processes that share a file agree on it. Safe for use by many threads.
 */
final class StoreClock {

    /** How far a reading may be behind what was written before it must come from another clock. */
    private static final Duration TOLERANCE = Duration.ofSeconds(1);

    private static final String NEXT_STEP =
            "let all processes that share the file run in the same time namespace, or use postgresql:";

    private final String store;
    private final HostClock host;
    private final InstantSource wall;
    private final AtomicReference<Uptime> latest;

    StoreClock(String store, HostClock host, InstantSource wall) {
        this.store = store;
        this.host = host;
        this.wall = wall;
        latest = new AtomicReference<>(new Uptime(host.bootId(), 0));
    }

    /**
     * What the row of the store says about its clock. Times are {@link Micros}.
     *
     * @param uptime the greatest time since boot that was written
     * @param bootedAt the moment of that boot
     */
    record ClockRow(Uptime uptime, long bootedAt) {

        /** The time of the store when {@code uptime} was read. */
        long moment() {
            return bootedAt + uptime.micros();
        }
    }

    /**
     * A reading of the clock.
     *
     * @param bootId the boot in which it was read
     * @param micros the time since that boot
     */
    record Uptime(String bootId, long micros) {}

    /** The wall clock. It decides nothing about leases. */
    InstantSource wall() {
        return wall;
    }

    /** The greatest reading so far. A transaction that writes keeps it in the row of the store. */
    Uptime latest() {
        return Objects.requireNonNull(latest.get(), "there was a first reading");
    }

    /**
     * The store's time. The row must have been read before, and by a writer after it became the only one.
     *
     * @throws StoreUnavailableException if this process and the store do not share a clock
     */
    long now(ClockRow row) {
        if (!row.uptime().bootId().equals(host.bootId())) {
            throw new StoreUnavailableException(
                    store,
                    "is used on another machine by now (boot " + row.uptime().bootId() + "); give each its own file");
        }
        Uptime uptime = read();
        if (lags(row, uptime)) {
            throw new StoreUnavailableException(store, lag(row, uptime) + "; " + NEXT_STEP);
        }
        return row.bootedAt() + Math.max(uptime.micros(), row.uptime().micros());
    }

    /**
     * The clock a store is opened with: as it was if this is the same boot, or with the moment of this boot, which is no
     * earlier than anything the store has written.
     *
     * @throws UnsafeStoreException if this process and the store do not share a clock
     */
    ClockRow atOpening(@Nullable ClockRow before) {
        Uptime uptime = read();
        if (before != null && before.uptime().bootId().equals(uptime.bootId())) {
            if (lags(before, uptime)) {
                throw new UnsafeStoreException(store, lag(before, uptime), NEXT_STEP);
            }
            return uptime.micros() > before.uptime().micros() ? new ClockRow(uptime, before.bootedAt()) : before;
        }
        long bootedAt = Micros.of(wall.instant()) - uptime.micros();
        return new ClockRow(uptime, before == null ? bootedAt : Math.max(bootedAt, before.moment()));
    }

    private boolean lags(ClockRow row, Uptime uptime) {
        return host.steady() && row.uptime().micros() - uptime.micros() > Micros.of(TOLERANCE);
    }

    private static String lag(ClockRow row, Uptime uptime) {
        return "was written by a process whose clock is "
                + Micros.duration(row.uptime().micros() - uptime.micros()).toMillis() + " ms ahead of this one's";
    }

    private Uptime read() {
        try {
            Uptime read = new Uptime(host.bootId(), host.uptime());
            latest.updateAndGet(
                    known -> known.bootId().equals(read.bootId()) && known.micros() >= read.micros() ? known : read);
            return read;
        } catch (IOException failure) {
            throw new StoreUnavailableException(store, "has no clock (" + failure + ")", failure);
        }
    }
}
