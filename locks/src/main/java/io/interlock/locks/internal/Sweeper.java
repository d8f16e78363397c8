package io.interlock.locks.internal;

import io.interlock.DurationText;
import io.interlock.LeaseRecord;
import io.interlock.time.LocalTime;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Clears leases that ended by themselves, from time to time. Every process does it; none is needed for it. */
final class Sweeper {

    private static final Logger log = LoggerFactory.getLogger(Sweeper.class);
    private static final int PAGE = 100;
    private static final int MAX_PAGES = 10;
    private static final double SPREAD = 0.2;

    private final LocksSettings settings;
    private final Timers timers;
    private final LocalTime time;

    Sweeper(LocksSettings settings, Timers timers, LocalTime time) {
        this.settings = settings;
        this.timers = timers;
        this.time = time;
    }

    void start() {
        timers.after(time.jittered(settings.sweepEvery(), SPREAD), () -> {
            try {
                runOnce();
            } catch (RuntimeException failure) {
                log.warn("a sweep failed, the next one will be tried: {}", failure.toString());
            } finally {
                start();
            }
        });
    }

    /** Sweeps once, and returns what it cleared. */
    List<LeaseRecord> runOnce() {
        List<LeaseRecord> all = new ArrayList<>();
        for (int page = 0; page < MAX_PAGES; page++) {
            List<LeaseRecord> cleared = settings.store().sweep(PAGE);
            cleared.forEach(Sweeper::report);
            all.addAll(cleared);
            if (cleared.size() < PAGE) {
                break;
            }
        }
        return all;
    }

    private static void report(LeaseRecord lease) {
        log.warn(
                "cleared the lease of {}: {} had it with token {} for {}, never gave it back, and it ended {} ago",
                lease.key(),
                lease.holder().label(),
                lease.token(),
                DurationText.format(Duration.between(lease.grantedAt(), lease.expiresAt())),
                DurationText.format(Duration.between(lease.expiresAt(), lease.observedAt())));
    }
}
