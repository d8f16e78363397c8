package io.interlock.cli.backend;

import io.interlock.EvictAnswer;
import io.interlock.FencingToken;
import io.interlock.LeaseQuery;
import io.interlock.LockKey;
import io.interlock.cli.backend.Backend.AdminApi;
import io.interlock.cli.backend.Backend.KeyApi;
import io.interlock.cli.backend.Backend.LeaseApi;
import io.interlock.cli.backend.Backend.LockApi;
import io.interlock.cli.backend.Backend.RunApi;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.locks.LeaseClient;
import io.interlock.locks.Locks;
import io.interlock.service.Facts;
import io.interlock.service.LockFacts;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Straight on a store that keeps leases only: there are keys and who has them, and no runs. */
public final class LeaseBackend implements Backend, LockApi {

    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final StoreBackend.Target place;
    private @Nullable Open open;

    private record Open(LeaseClient client, Locks locks) {}

    private LeaseBackend(StoreBackend.Target place) {
        this.place = place;
    }

    /** At a store, which is opened when it is first needed: that it keeps no runs is known before. */
    public static LeaseBackend at(StoreBackend.Target place) {
        return new LeaseBackend(place);
    }

    private synchronized Locks opened() {
        if (open == null) {
            LeaseClient client = LeaseClient.open(place.url(), place.environment());
            open = new Open(client, client.locks().drainTime(LAST_WORDS).build());
        }
        return open.locks();
    }

    @Override
    public KeyAcquirer acquirer() {
        return new LeaseKeyAcquirer(opened(), place.environment());
    }

    @Override
    public LockApi locks() {
        return this;
    }

    @Override
    public List<Facts> list(String prefix) {
        return opened().list(LeaseQuery.ofTenant(place.tenant()).startingWith(prefix)).leases().stream()
                .map(LockFacts::of)
                .toList();
    }

    @Override
    public Facts show(String name) {
        LockKey key = LockKey.of(place.tenant(), name);
        return opened().find(key)
                .map(LockFacts::of)
                .orElseGet(() ->
                        LockFacts.idle(key, null, place.environment().clock().instant()));
    }

    @Override
    public Facts evict(String name, long token, String reason) {
        LockKey key = LockKey.of(place.tenant(), name);
        EvictAnswer answer = opened().evict(key, new FencingToken(token), place.actor(), reason);
        EvictAnswer.Evicted evicted = StoreBackend.evicted(key, token, answer);
        return Facts.with("releasedToken", evicted.victim().token().value()).and("opensAt", evicted.opensAt());
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
    public RunApi runs() {
        throw leasesOnly("runs, no queue and no dead letters");
    }

    @Override
    public LeaseApi leases() {
        return new StoreLeases(place.url(), place.environment());
    }

    @Override
    public KeyApi keys() {
        throw leasesOnly("API keys");
    }

    @Override
    public AdminApi admin() {
        throw leasesOnly("audit log, no jobs and no janitor");
    }

    @Override
    public synchronized void close() {
        if (open != null) {
            open.locks().close();
            open.client().close();
        }
    }

    private static Failure leasesOnly(String what) {
        return new Failure(
                ExitCode.CONFIGURATION,
                "this store keeps leases only; it has no " + what,
                "use a store of runs: --store sqlite:PATH or postgresql://…");
    }
}
