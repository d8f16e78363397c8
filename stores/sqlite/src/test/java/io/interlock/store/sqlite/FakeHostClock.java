package io.interlock.store.sqlite;

import io.interlock.store.sql.Micros;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The clock of a machine that a test starts and lets run. */
final class FakeHostClock implements HostClock {

    private final boolean steady;
    private volatile String bootId;
    private final AtomicLong uptime = new AtomicLong();

    FakeHostClock(String bootId, Duration uptime, boolean steady) {
        this.bootId = bootId;
        this.uptime.set(Micros.of(uptime));
        this.steady = steady;
    }

    static FakeHostClock booted(String bootId) {
        return new FakeHostClock(bootId, Duration.ofHours(1), true);
    }

    void pass(Duration time) {
        uptime.addAndGet(Micros.of(time));
    }

    void set(long newUptime) {
        uptime.set(newUptime);
    }

    void reboot(String newBootId) {
        bootId = newBootId;
        uptime.set(Micros.of(Duration.ofSeconds(20)));
    }

    @Override
    public String bootId() {
        return bootId;
    }

    @Override
    public long uptime() {
        return uptime.get();
    }

    @Override
    public boolean steady() {
        return steady;
    }
}
