package io.interlock.store.sqlite;

import io.interlock.store.sql.Micros;
import java.time.Duration;
import java.time.InstantSource;

/**
 * Systems that do not tell time since boot: the wall clock. The store never lets it go back, so setting it back makes
 * leases last longer; setting it forward ends them early, and then only tokens protect.
 */
final class WallHostClock implements HostClock {

    private final InstantSource clock;

    WallHostClock(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public String bootId() {
        return "wall clock";
    }

    @Override
    public long uptime() {
        return Micros.of(clock.instant());
    }

    @Override
    public boolean steady() {
        return false;
    }

    @Override
    public Duration precision() {
        return Duration.ofMillis(1);
    }
}
