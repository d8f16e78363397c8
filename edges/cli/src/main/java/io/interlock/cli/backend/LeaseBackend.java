package io.interlock.cli.backend;

import io.interlock.FencingToken;
import io.interlock.LeaseQuery;
import io.interlock.LockKey;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Failure;
import io.interlock.locks.LeaseDesk;
import io.interlock.locks.Locks;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Straight on a store that keeps leases only: there are keys and who has them, and no runs. */
public final class LeaseBackend implements Backend, LockBook {

    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final StorePlace place;
    private final LeaseDesk desk;
    private final Locks locks;

    private LeaseBackend(StorePlace place, LeaseDesk desk, Locks locks) {
        this.place = place;
        this.desk = desk;
        this.locks = locks;
    }

    /** Opens a store. */
    public static LeaseBackend open(StorePlace place) {
        LeaseDesk desk = LeaseDesk.open(place.url(), place.environment());
        return new LeaseBackend(place, desk, desk.locks().drainTime(LAST_WORDS).build());
    }

    @Override
    public Door door() {
        return new LeaseDoor(locks, place.environment());
    }

    @Override
    public LockBook locks() {
        return this;
    }

    @Override
    public List<Facts> list(String prefix) {
        return locks.list(LeaseQuery.ofTenant(place.tenant()).startingWith(prefix)).leases().stream()
                .map(LockFacts::of)
                .toList();
    }

    @Override
    public Facts show(String name) {
        LockKey key = LockKey.of(place.tenant(), name);
        return locks.find(key).map(LockFacts::of).orElseGet(() -> LockFacts.free(key));
    }

    @Override
    public Facts evict(String name, long token, String reason) {
        LockKey key = LockKey.of(place.tenant(), name);
        return EngineLocks.evicted(key, token, locks.evict(key, new FencingToken(token), place.actor(), reason));
    }

    @Override
    public Facts pause(String pattern, String reason, @Nullable Duration time) {
        throw leasesOnly("pauses");
    }

    @Override
    public void resume(String pattern, String reason) {
        throw leasesOnly("pauses");
    }

    @Override
    public RunBook runs() {
        throw leasesOnly("runs, no queue and no dead letters");
    }

    @Override
    public LeaseBook leases() {
        return new StoreLeases(place.url(), place.environment());
    }

    @Override
    public KeyBook keys() {
        throw leasesOnly("API keys");
    }

    @Override
    public HouseBook house() {
        throw leasesOnly("audit log, no jobs and no janitor");
    }

    @Override
    public void close() {
        locks.close();
        desk.close();
    }

    private static Failure leasesOnly(String what) {
        return new Failure(
                ExitCode.CONFIGURATION,
                "this store keeps leases only; it has no " + what,
                "use a store of runs: --store sqlite:PATH or postgresql://…");
    }
}
