package io.interlock.locks;

import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.ThisProcess;
import io.interlock.locks.internal.StoreLocks;
import io.interlock.locks.internal.StoreLocks.LocksSettings;
import io.interlock.spi.LeaseStore;
import io.interlock.time.Environment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sets up {@link Locks}. Not safe for use by many threads. */
public final class LocksBuilder {

    /** How long a task given to {@link Locks#call} may take unless options say otherwise. */
    public static final Duration DEFAULT_CALL_LIMIT = Duration.ofMinutes(5);

    private final LeaseStore store;
    private Environment environment = Environment.system();
    private LeaseOptions options = LeaseOptions.defaults();
    private @Nullable Holder holder;
    private Duration pollEvery = Duration.ofSeconds(1);
    private Duration sweepEvery = Duration.ofMinutes(1);
    private Duration drainTime = Duration.ofSeconds(30);
    private boolean closesStore;

    LocksBuilder(LeaseStore store) {
        this.store = store;
    }

    /** Clocks, threads and chance, instead of the process's own. */
    public LocksBuilder environment(Environment environment) {
        this.environment = environment;
        return this;
    }

    /** Options used where none are given. */
    public LocksBuilder options(LeaseOptions options) {
        this.options = options;
        return this;
    }

    /** Who this process is, instead of its machine's name and process id. */
    public LocksBuilder holder(Holder holder) {
        this.holder = holder;
        return this;
    }

    /** How often waiters look by themselves, give or take a fifth; wake-ups are usually faster. */
    public LocksBuilder pollEvery(Duration pollEvery) {
        this.pollEvery = pollEvery;
        return this;
    }

    /** How often this process clears leases that ended by themselves, give or take a fifth. */
    public LocksBuilder sweepEvery(Duration sweepEvery) {
        this.sweepEvery = sweepEvery;
        return this;
    }

    /** How long {@link Locks#close()} waits for leases to be closed by their work. */
    public LocksBuilder drainTime(Duration drainTime) {
        this.drainTime = drainTime;
        return this;
    }

    /** Close the store with the locks. */
    public LocksBuilder closingStore() {
        this.closesStore = true;
        return this;
    }

    /**
     * The locks, working.
     *
     * @throws InvalidSettingException if a setting is out of its limits, or the ttl above the store's longest lease
     */
    public Locks build() {
        return new StoreLocks(new LocksSettings(
                store,
                environment,
                options,
                holder != null ? holder : ThisProcess.holder(environment.random()),
                pollEvery,
                sweepEvery,
                drainTime,
                closesStore));
    }
}
