package io.interlock.cli.backend;

import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.StoreUnavailableException;
import io.interlock.cli.backend.HeldKey.Result;
import io.interlock.cli.backend.HeldKey.Stop;
import io.interlock.cli.backend.KeyAcquirer.Entry;
import io.interlock.cli.backend.KeyAcquirer.Place;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.locks.Outcome;
import io.interlock.locks.Release;
import io.interlock.service.Facts;
import io.interlock.service.LockFacts;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A lease without a run: it is kept alive and given back, and there is no record of it. */
final class LeaseKeyAcquirer implements KeyAcquirer {

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
                .orElseGet(() ->
                        LockFacts.idle(order.key(), null, environment.clock().instant()));
    }

    /** Waits in the line of this process; whoever else waits elsewhere is not seen. */
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
            // Whoever is interrupted holds nothing and waits no more.
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
