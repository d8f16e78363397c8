package io.interlock.cli.backend;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.StoreUnavailableException;
import io.interlock.cli.backend.Backend.AdminApi;
import io.interlock.cli.backend.Backend.KeyApi;
import io.interlock.cli.backend.Backend.LeaseApi;
import io.interlock.cli.backend.Backend.LockApi;
import io.interlock.cli.backend.Backend.RunApi;
import io.interlock.cli.backend.KeyAcquirer.Entry;
import io.interlock.cli.backend.KeyAcquirer.HeldKey;
import io.interlock.cli.backend.KeyAcquirer.HeldKey.Result;
import io.interlock.cli.backend.KeyAcquirer.HeldKey.Stop;
import io.interlock.cli.backend.KeyAcquirer.Place;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.engine.RemoteWork.Proof;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.Lease.Release;
import io.interlock.locks.LeaseClient;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.locks.Outcome;
import io.interlock.service.Facts;
import io.interlock.service.LockFacts;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
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
                .orElseGet(() -> LockFacts.idle(
                        key, List.of(), place.environment().clock().instant()));
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
        return new StoreLeases(() -> LeaseClient.open(place.url(), place.environment()));
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

    /** A lease without a run: it is kept alive and given back, and there is no record of it. */
    static final class LeaseKeyAcquirer implements KeyAcquirer {

        private static final Duration FOR_EVER = Duration.ofDays(3650);

        private final Locks locks;
        private final Environment environment;

        LeaseKeyAcquirer(Locks locks, Environment environment) {
            this.locks = locks;
            this.environment = environment;
        }

        @Override
        public Entry enter(KeyAcquirer.Request order) {
            Acquisition answer = locks.tryAcquire(order.key(), options(order));
            if (answer instanceof Acquisition.Granted granted) {
                return new KeyAcquirer.Entry.Granted(held(granted.granted()));
            }
            Refusal refusal = ((Acquisition.Refused) answer).refusal();
            return order.ifBusy() == KeyAcquirer.Request.IfBusy.WAIT
                    ? new KeyAcquirer.Entry.InLine(new LeasePlace(order))
                    : new KeyAcquirer.Entry.Busy(lock(order), refusal.code(), refusal.explanation());
        }

        private HeldKey held(Lease lease) {
            return new LeaseTenure(lease, RunId.create(environment.clock(), environment.random()));
        }

        private static LeaseOptions options(KeyAcquirer.Request order) {
            return LeaseOptions.defaults().ttl(order.lease());
        }

        private Facts lock(KeyAcquirer.Request order) {
            return locks.find(order.key())
                    .map(LockFacts::of)
                    .orElseGet(() -> LockFacts.idle(
                            order.key(), List.of(), environment.clock().instant()));
        }

        /** Waits in the queue of this process; waiters of other processes are not seen. */
        private final class LeasePlace implements Place {

            private final KeyAcquirer.Request order;

            LeasePlace(KeyAcquirer.Request order) {
                this.order = order;
            }

            @Override
            public Outcome take() throws InterruptedException {
                Duration wait = order.maxWait() == null ? FOR_EVER : order.maxWait();
                Acquisition answer = locks.acquire(order.key(), wait, options(order));
                return answer instanceof Acquisition.Granted granted
                        ? new Outcome.Taken(held(granted.granted()))
                        : new Outcome.Over(
                                "WAIT_EXPIRED",
                                ((Acquisition.Refused) answer).refusal().explanation());
            }

            @Override
            public View look() {
                return new View(lock(order), 0);
            }

            @Override
            public void leave() {
                // An interrupted wait holds nothing.
            }
        }

        private record LeaseTenure(Lease lease, RunId run) implements HeldKey {

            @Override
            public String runId() {
                return run.toString();
            }

            @Override
            public long token() {
                return lease.token().value();
            }

            @Override
            public Duration remaining() {
                return lease.remaining();
            }

            @Override
            public void onStop(Consumer<Stop> listener) {
                lease.onLost(cause -> listener.accept(lost(cause)));
            }

            @Override
            public void stage(String name) {
                // A lease has no place for it.
            }

            @Override
            public void progress(long done, @Nullable Long total) {
                // A lease has no place for it.
            }

            @Override
            public Optional<Stop> finish(Result result) {
                try {
                    return lease.release() == Release.WAS_LOST ? Optional.of(lost(LossCause.GONE)) : Optional.empty();
                } catch (StoreUnavailableException untold) {
                    return Optional.of(new Stop(Stop.Kind.UNTOLD, String.valueOf(untold.getMessage())));
                }
            }

            private static Stop lost(LossCause cause) {
                return new Stop(Stop.Kind.LOST, "the lease is lost: " + cause.explanation());
            }
        }
    }

    /** Leases on any store, or of a server. A lease outlives this process. */
    static final class StoreLeases implements LeaseApi {

        private final Supplier<LeaseClient> clients;

        StoreLeases(Supplier<LeaseClient> clients) {
            this.clients = clients;
        }

        @Override
        public Facts acquire(LockKey key, Duration ttl, Duration wait) throws InterruptedException {
            // Neither is closed: that would give the lease back, or wait for it. The process ends next.
            LeaseClient client = clients.get();
            Locks locks = client.locks().build();
            Acquisition answer =
                    locks.acquire(key, wait, LeaseOptions.defaults().ttl(ttl));
            if (answer instanceof Acquisition.Refused refused) {
                throw Backend.busy(
                        key, refused.refusal().code(), refused.refusal().explanation());
            }
            Lease lease = answer.orElseThrow();
            LeaseRecord record = locks.find(key)
                    .filter(found -> found.id().equals(lease.id()))
                    .orElseThrow(() -> lost(key));
            return LockFacts.lease(record, ttl);
        }

        @Override
        public Facts renew(Proof proof, Duration ttl) {
            try (LeaseClient client = clients.get()) {
                return client.renew(proof.key(), id(proof), new FencingToken(proof.token()), ttl)
                        .map(record -> LockFacts.lease(record, ttl))
                        .orElseThrow(() -> lost(proof.key()));
            }
        }

        @Override
        public void release(Proof proof) {
            try (LeaseClient client = clients.get()) {
                client.release(proof.key(), id(proof), new FencingToken(proof.token()));
            }
        }

        private static LeaseId id(Proof proof) {
            try {
                return LeaseId.parse(proof.leaseId());
            } catch (IllegalArgumentException malformed) {
                throw Failure.usage("the lease id is none", "give what interlock acquire printed as leaseId");
            }
        }

        private static Failure lost(LockKey key) {
            return new Failure(
                    ExitCode.LEASE_LOST,
                    "the lease of " + key + " is lost: it ran out or was taken away",
                    "stop the work, and acquire anew");
        }
    }
}
