package io.interlock.locks.internal;

import io.interlock.DurationText;
import io.interlock.EvictAnswer;
import io.interlock.FencingToken;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeasePage;
import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.StoreCapabilities;
import io.interlock.locks.Acquisition;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.LeaseTask;
import io.interlock.locks.Locks;
import io.interlock.locks.LocksBuilder;
import io.interlock.locks.Outcome;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.EvictRequest;
import io.interlock.spi.LeaseStore;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@link Locks} on a store. */
public final class StoreLocks implements Locks {

    private static final Logger log = LoggerFactory.getLogger(StoreLocks.class);

    private final LocksSettings settings;
    private final LeaseStore store;
    private final LocksRuntime runtime;

    private StoreLocks(LocksSettings settings) {
        this.settings = settings;
        this.store = settings.store();
        this.runtime = new LocksRuntime(settings);
    }

    /** Locks, working. */
    public static Locks open(LocksSettings settings) {
        StoreLocks locks = new StoreLocks(settings);
        locks.runtime.open();
        return locks;
    }

    @Override
    public Acquisition tryAcquireAll(Collection<LockKey> keys, LeaseOptions options) {
        PendingAcquire ask = ask(keys, options, currentThread());
        Acquisition own = heldByCaller(ask);
        return own != null ? own : runtime.acquirer().look(ask);
    }

    @Override
    public Acquisition acquireAll(Collection<LockKey> keys, Duration maxWait, LeaseOptions options)
            throws InterruptedException {
        requireWait(maxWait);
        PendingAcquire ask = ask(keys, options, currentThread());
        Acquisition own = heldByCaller(ask);
        if (own != null) {
            return own;
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return new BlockingWait(runtime, ask, maxWait).run();
    }

    @Override
    public CompletionStage<Acquisition> tryAcquireAsync(Collection<LockKey> keys, LeaseOptions options) {
        return new AsyncWait(runtime, ask(keys, options, 0)).once();
    }

    @Override
    public CompletionStage<Acquisition> acquireAsync(Collection<LockKey> keys, Duration maxWait, LeaseOptions options) {
        requireWait(maxWait);
        AsyncWait wait = new AsyncWait(runtime, ask(keys, options, 0));
        return maxWait.isZero() ? wait.once() : wait.upTo(maxWait);
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> Outcome<T> call(LockKey key, LeaseTask<T, X> task)
            throws X {
        LeaseOptions options = settings.options();
        if (options.maxHold().isEmpty()) {
            Duration ttl = options.terms().ttl();
            Duration limit = LocksBuilder.DEFAULT_CALL_LIMIT;
            options = options.maxHold(limit.compareTo(ttl) < 0 ? ttl : limit);
        }
        return call(key, options, task);
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> Outcome<T> call(
            LockKey key, LeaseOptions options, LeaseTask<T, X> task) throws X {
        Acquisition acquisition = tryAcquire(key, options);
        if (acquisition instanceof Acquisition.Refused refused) {
            return new Outcome.AlreadyRunning<>(refused.refusal());
        }
        HeldLease lease = (HeldLease) acquisition.orElseThrow();
        return new Outcome.Ran<>(new GuardedTask(lease).run(task));
    }

    @Override
    public Optional<LeaseRecord> find(LockKey key) {
        return store.find(List.of(key)).get(0).filter(lease -> !lease.isExpired());
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        return store.list(query);
    }

    @Override
    public boolean validate(LockKey key, FencingToken token) {
        return find(key)
                .filter(lease -> lease.isLive() && lease.token().equals(token))
                .isPresent();
    }

    @Override
    public EvictAnswer evict(LockKey key, FencingToken expected, String actor, String reason) {
        EvictAnswer answer = store.evict(new EvictRequest(key, expected, actor, reason));
        if (answer instanceof EvictAnswer.Evicted evicted) {
            log.warn(
                    "{} evicted {} from {} (token {}): {}",
                    actor,
                    evicted.victim().holder().label(),
                    key,
                    expected,
                    reason);
        }
        return answer;
    }

    @Override
    public StoreCapabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public LeaseOptions defaultOptions() {
        return settings.options();
    }

    @Override
    public void close() {
        if (runtime.gate().close()) {
            new LocksShutdown(runtime).run();
        }
    }

    private PendingAcquire ask(Collection<LockKey> keys, LeaseOptions options, long owner) {
        AcquireRequest request = new AcquireRequest(
                List.copyOf(keys),
                LeaseId.random(settings.environment().random()),
                options.holder().orElse(settings.holder()),
                options.terms().within(store.capabilities().maxLease()),
                false,
                AcquireRequest.Takeover.allowed());
        return new PendingAcquire(request, options, owner);
    }

    private @Nullable Acquisition heldByCaller(PendingAcquire ask) {
        for (LockKey key : ask.request().keys()) {
            Optional<LeaseRecord> own = runtime.leases().heldBy(ask.owner(), key);
            if (own.isPresent()) {
                return new Acquisition.Refused(new Refusal.HeldByCaller(own.get()));
            }
        }
        return null;
    }

    private static void requireWait(Duration maxWait) {
        if (maxWait.isNegative()) {
            throw new InvalidSettingException(
                    "maxWait", DurationText.format(maxWait), "is below 0s", "choose 0s not to wait at all");
        }
    }

    private static long currentThread() {
        return Thread.currentThread().getId();
    }
}
