package io.interlock.cli.backend;

import io.interlock.ConflictPolicy;
import io.interlock.FencingToken;
import io.interlock.LeaseQuery;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.StoreUnavailableException;
import io.interlock.client.Requests;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.Lease.Release;
import io.interlock.locks.LeaseClient;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.run.Ending;
import io.interlock.service.Facts;
import io.interlock.service.LockFacts;
import io.interlock.service.LockService;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Straight on a store that keeps leases only: there are keys and who has them, and no runs. {@code interlock run} has a lease without a
 * run: it is kept alive and given back, and there is no record of it. Opened when first needed: that there are no runs is known before.
 */
public final class LeaseBackend implements Backend, KeyAcquirer {

    private static final Duration LAST_WORDS = Duration.ofSeconds(2);
    private static final Duration FOR_EVER = Duration.ofDays(3650);

    private final StoreBackend.Target target;
    private @Nullable Open open;

    private record Open(LeaseClient client, Locks locks) {}

    public LeaseBackend(StoreBackend.Target target) {
        this.target = target;
    }

    private synchronized Locks opened() {
        if (open == null) {
            LeaseClient client = target.leases();
            open = new Open(client, client.locks().drainTime(LAST_WORDS).build());
        }
        return open.locks();
    }

    @Override
    public KeyAcquirer acquirer() {
        return this;
    }

    @Override
    public Requests requests() {
        return new LeaseRequests();
    }

    private final class LeaseRequests extends LocalRequests {

        LeaseRequests() {
            super(target);
        }

        @Override
        Facts answer(String operation, io.interlock.service.Request request) {
            return switch (operation) {
                case "GET /locks" -> Facts.with("items", locks(request.parameters()));
                case "POST /locks/evict" -> {
                    LockKey key = request.key();
                    FencingToken token =
                            new FencingToken(request.body().number("token").orElseThrow());
                    yield LockService.evicted(
                            key,
                            token,
                            opened().evict(
                                            key,
                                            token,
                                            request.actor().name(),
                                            request.body().shown("reason")));
                }
                default -> throw Backend.leasesOnly();
            };
        }
    }

    private List<Facts> locks(Facts parameters) {
        if (parameters.text("state").isPresent()) {
            // As to status and sweep: what is due for a sweep is known of a store of runs.
            throw Backend.leasesOnly();
        }
        String pattern = parameters.shown("key");
        String beginning = pattern.isEmpty() ? "" : pattern.substring(0, pattern.length() - 1);
        return opened().list(LeaseQuery.ofTenant(target.tenant()).startingWith(beginning)).leases().stream()
                .map(LockFacts::of)
                .toList();
    }

    @Override
    public Facts lock(String key) {
        return lock(target.key(key));
    }

    private Facts lock(LockKey key) {
        return opened().find(key)
                .map(LockFacts::of)
                .orElseGet(() -> LockFacts.idle(
                        key, List.of(), target.environment().clock().instant()));
    }

    @Override
    public BareLeases leases() {
        return new BareLeases(target::leases);
    }

    @Override
    public synchronized void close() {
        if (open != null) {
            open.locks().close();
            open.client().close();
        }
    }

    @Override
    public Entry enter(Request order) {
        Acquisition answer = opened().tryAcquire(order.key(), options(order));
        if (answer instanceof Acquisition.Granted granted) {
            return new Entry.Granted(held(granted.granted()));
        }
        Refusal refusal = ((Acquisition.Refused) answer).refusal();
        return order.onConflict() == ConflictPolicy.QUEUE
                ? new Entry.InLine(new LeasePlace(order))
                : new Entry.Busy(KeyAcquirer.lock(() -> lock(order.key())), refusal.code(), refusal.explanation());
    }

    private HeldKey held(Lease lease) {
        return new HeldLease(
                lease,
                RunId.create(target.environment().clock(), target.environment().random()));
    }

    private static LeaseOptions options(Request order) {
        return LeaseOptions.defaults().ttl(order.lease());
    }

    /** Waits in the queue of this process; waiters of other processes are not seen. */
    private final class LeasePlace implements Place {

        private final Request order;

        LeasePlace(Request order) {
            this.order = order;
        }

        @Override
        public Entry take() throws InterruptedException {
            Duration wait = order.maxWait() == null ? FOR_EVER : order.maxWait();
            Acquisition answer = opened().acquire(order.key(), wait, options(order));
            return answer instanceof Acquisition.Granted granted
                    ? new Entry.Granted(held(granted.granted()))
                    : new Entry.Busy(
                            Facts.none(),
                            "WAIT_EXPIRED",
                            ((Acquisition.Refused) answer).refusal().explanation());
        }

        @Override
        public View look() {
            return new View(lock(order.key()), 0);
        }

        @Override
        public void leave() {
            // An interrupted wait holds nothing.
        }
    }

    private record HeldLease(Lease lease, RunId run) implements HeldKey {

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
        public Optional<Stop> finish(Ending ending) {
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
