package io.interlock.engine;

import io.interlock.InvalidSettingException;
import io.interlock.engine.WorkerEngine.WorkSource;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.internal.StoreRunEngine;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.engine.notify.NotifyRule;
import io.interlock.engine.schedule.MaintenanceWindows;
import io.interlock.engine.schedule.Schedules.ScheduledJob;
import io.interlock.run.Retention;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.Summary.OpenRuns;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sets up a {@link RunEngine}. Not safe for use by many threads. */
public final class EngineBuilder extends WorkBuilder<EngineBuilder> {

    private final RunStore store;
    private Duration sweepEvery = Duration.ofSeconds(10);
    private Duration keepIdempotency = Duration.ofHours(24);
    private final Map<String, Integer> tenantLimits = new HashMap<>();
    private long maxOpenRuns = EngineSettings.NO_LIMIT;
    private long maxOpenPayload = EngineSettings.NO_LIMIT;
    private boolean closesStore;
    private boolean keepsBooks = true;
    private Retention retention = Retention.DEFAULT;
    private @Nullable AuditKey auditKey;
    private final List<ScheduledJob> schedules = new ArrayList<>();
    private final List<MaintenanceWindows.NoStart> windows = new ArrayList<>();
    private final List<NotifyRule> rules = new ArrayList<>();
    private List<String> privateNetworks = List.of();
    private Consumer<RunEngine> whenBuilt = engine -> {};

    EngineBuilder(RunStore store) {
        super(WorkSource.of(store));
        this.store = store;
    }

    @Override
    EngineBuilder self() {
        return this;
    }

    static EngineBuilder of(String url) {
        return new EngineBuilder(keepingRuns(Stores.open(url))).closingStore();
    }

    /** {@code store}, if it keeps runs; else it is closed. */
    static RunStore keepingRuns(LeaseStore store) {
        if (store instanceof RunStore runs) {
            return runs;
        }
        store.close();
        throw new InvalidSettingException(
                "store", store, "keeps leases only", "use memory:, sqlite: or postgresql: for runs");
    }

    /** Is told of the engine that is built, for handlers that need it. */
    public EngineBuilder whenBuilt(Consumer<RunEngine> told) {
        whenBuilt = whenBuilt.andThen(told);
        return this;
    }

    /** How often the janitor makes its round, give or take a fifth. */
    public EngineBuilder sweepEvery(Duration sweepEvery) {
        this.sweepEvery = sweepEvery;
        return this;
    }

    /** How long an idempotency key counts; a day unless said. */
    public EngineBuilder keepIdempotency(Duration time) {
        this.keepIdempotency = time;
        return this;
    }

    /** How many runs of {@code tenant} may be under way at once. */
    public EngineBuilder tenantMaxRunning(String tenant, int limit) {
        tenantLimits.put(tenant, new LineLimits(LineLimits.NONE.queueCap(), limit).tenantMaxRunning());
        return this;
    }

    /** How many runs of a tenant may be open before new ones are refused; no limit unless said. */
    public EngineBuilder maxOpenRuns(long limit) {
        this.maxOpenRuns = limit;
        return this;
    }

    /** How many bytes of parameters the open runs of a tenant may have together before new ones are refused; no limit unless said. */
    public EngineBuilder maxOpenPayload(long limit) {
        this.maxOpenPayload = limit;
        return this;
    }

    /** How long history is kept. */
    public EngineBuilder retention(Retention retention) {
        this.retention = retention;
        return this;
    }

    /**
     * Signs the audit log with {@code key}, which is kept outside the store: so a log that was written anew without the key is
     * found. Every engine on the store that seals should have it.
     */
    public EngineBuilder auditKey(AuditKey key) {
        this.auditKey = key;
        return this;
    }

    /** Starts a job by the clock: one run for each time, however many engines do so. */
    public EngineBuilder schedule(ScheduledJob schedule) {
        schedules.add(schedule);
        return this;
    }

    /** Pauses keys while their maintenance windows last, however many engines do so. */
    public EngineBuilder noStart(MaintenanceWindows.NoStart keys) {
        windows.add(keys);
        return this;
    }

    /**
     * Sends notifications of what people should look at. Requests go to the hosts that rules name, and to no private
     * address unless {@link #privateNetworks} allows it.
     */
    public EngineBuilder tell(NotifyRule rule) {
        rules.add(rule);
        return this;
    }

    /** Networks that are not public, as in {@code 10.0.0.0/8}, to which notifications may go. */
    public EngineBuilder privateNetworks(List<String> networks) {
        privateNetworks = List.copyOf(networks);
        return this;
    }

    /** Neither seals the audit log nor counts refusals here: others do, or a test has no use for it. */
    public EngineBuilder withoutBooks() {
        keepsBooks = false;
        return this;
    }

    public EngineBuilder closingStore() {
        this.closesStore = true;
        return this;
    }

    /**
     * The engine, working.
     *
     * @throws InvalidSettingException if a setting is out of its limits, or a job's lease above the store's longest
     */
    public RunEngine build() {
        RunEngine engine = StoreRunEngine.open(new EngineSettings(
                store,
                settings(),
                sweepEvery,
                keepIdempotency,
                tenantLimits,
                new OpenRuns(maxOpenRuns, maxOpenPayload),
                new EngineSettings.Background(
                        keepsBooks, retention, auditKey, schedules, windows, rules, privateNetworks),
                closesStore));
        whenBuilt.accept(engine);
        return engine;
    }
}
