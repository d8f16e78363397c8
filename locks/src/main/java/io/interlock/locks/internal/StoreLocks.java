package io.interlock.locks.internal;

import io.interlock.DurationText;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.StoreCapabilities;
import io.interlock.locks.Acquisition;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.locks.Locks.LeaseTask;
import io.interlock.locks.LocksBuilder;
import io.interlock.locks.Outcome;
import io.interlock.locks.internal.Acquirer.PendingAcquire;
import io.interlock.locks.runtime.LeaseRuntime;
import io.interlock.locks.runtime.Poller;
import io.interlock.locks.runtime.WaitQueues;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@link Locks} on a store. */
public final class StoreLocks implements Locks {

    private static final Logger log = LoggerFactory.getLogger(StoreLocks.class);
    private static final int SWEEP_PAGE = 100;
    private static final int SWEEP_PAGES = 10;
    private static final double SWEEP_SPREAD = 0.2;

    private final LocksSettings settings;
    private final LeaseStore store;
    private final LocalTime time;
    private final Threads threads;
    private final Timers deadlines;
    private final Timers chores;
    private final LeaseRuntime<RenewRequest, RenewAnswer> runtime;
    private final Leases leases;
    private final Acquirer acquirer;
    private final AcquireWaits waits;

    /** Locks, working. */
    public StoreLocks(LocksSettings settings) {
        Environment environment = settings.environment();
        this.time = new LocalTime(environment);
        this.settings = settings;
        this.store = settings.store();
        this.threads = new Threads(environment);
        this.deadlines = environment.timers("interlock-watch");
        this.chores = environment.timers("interlock-chores");
        this.runtime = new LeaseRuntime<>(
                store::renew, environment, environment.timers("interlock-renewal"), deadlines, threads.renewals());
        WaitQueues<LockKey, Refusal> queues = new WaitQueues<>(
                new Poller.Pace(deadlines, time, settings.pollEvery()),
                Runnable::run,
                (key, refusal, look) -> store.changes().watch(key, look));
        UnclearCallRecovery recovery = new UnclearCallRecovery(store, environment, chores, queues::wake);
        this.leases = new Leases(store, time, threads, runtime, recovery, queues::wake);
        this.acquirer = new Acquirer(settings, time, threads, leases, recovery);
        this.waits = new AcquireWaits(environment, deadlines, threads, acquirer, leases, queues);
        sweepLater();
    }

    @Override
    public Acquisition tryAcquireAll(Collection<LockKey> keys, LeaseOptions options) {
        PendingAcquire wanted = wanted(keys, options, currentThread());
        Acquisition own = heldByCaller(wanted);
        return own != null ? own : acquirer.ask(wanted);
    }

    @Override
    public Acquisition acquireAll(Collection<LockKey> keys, Duration maxWait, LeaseOptions options)
            throws InterruptedException {
        requireWait(maxWait);
        PendingAcquire wanted = wanted(keys, options, currentThread());
        Acquisition own = heldByCaller(wanted);
        if (own != null) {
            return own;
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return waits.await(wanted, maxWait);
    }

    @Override
    public CompletionStage<Acquisition> acquireAsync(Collection<LockKey> keys, Duration maxWait, LeaseOptions options) {
        requireWait(maxWait);
        return waits.awaitAsync(wanted(keys, options, 0), maxWait);
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
        return run(tryAcquire(key, options), task);
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> Outcome<T> call(
            LockKey key, Duration maxWait, LeaseOptions options, LeaseTask<T, X> task) throws X, InterruptedException {
        return run(acquire(key, maxWait, options), task);
    }

    private static <T extends @Nullable Object, X extends Exception> Outcome<T> run(
            Acquisition acquisition, LeaseTask<T, X> task) throws X {
        if (acquisition instanceof Acquisition.Refused refused) {
            return new Outcome.AlreadyRunning<>(refused.refusal());
        }
        return new Outcome.Ran<>(((LeaseHandle) acquisition.orElseThrow()).run(task));
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
        if (!leases.held().close()) {
            return;
        }
        waits.close();
        boolean interrupted = !leases.held().drain(settings.drainTime(), deadlines);
        for (LeaseHandle lease : leases.held().shut()) {
            log.warn(
                    "{} with token {} is still held after the drain time of {}; its lease is left to expire",
                    lease.key(),
                    lease.token(),
                    DurationText.format(settings.drainTime()));
            // Not released: its work may still run.
            lease.lose(LossCause.CLOSED);
        }
        runtime.close();
        deadlines.close();
        chores.close();
        threads.close();
        if (settings.closesStore()) {
            store.close();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private PendingAcquire wanted(Collection<LockKey> keys, LeaseOptions options, long owner) {
        AcquireRequest request = new AcquireRequest(
                List.copyOf(keys),
                LeaseId.random(settings.environment().random()),
                settings.holder(),
                options.terms().within(store.capabilities().maxLease()),
                false,
                AcquireRequest.Takeover.allowed());
        return new PendingAcquire(request, options, owner);
    }

    private @Nullable Acquisition heldByCaller(PendingAcquire wanted) {
        for (LockKey key : wanted.request().keys()) {
            Optional<LeaseRecord> own = leases.heldBy(wanted.owner(), key);
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

    /** Clears leases that ended by themselves, from time to time. Every process does it; none is needed for it. */
    private void sweepLater() {
        chores.after(time.jittered(settings.sweepEvery(), SWEEP_SPREAD), () -> {
            try {
                sweep();
            } catch (RuntimeException failure) {
                log.warn("sweep failed; retrying in the next round: {}", failure.toString());
            } finally {
                sweepLater();
            }
        });
    }

    private void sweep() {
        for (int page = 0; page < SWEEP_PAGES; page++) {
            List<LeaseRecord> cleared = store.sweep(SWEEP_PAGE);
            for (LeaseRecord lease : cleared) {
                log.warn(
                        "cleared the lease of {}: {} had it with token {} for {}, never gave it back, and it ended {} ago",
                        lease.key(),
                        lease.holder().label(),
                        lease.token(),
                        DurationText.format(Duration.between(lease.grantedAt(), lease.expiresAt())),
                        DurationText.format(Duration.between(lease.expiresAt(), lease.observedAt())));
            }
            if (cleared.size() < SWEEP_PAGE) {
                return;
            }
        }
    }

    /**
     * What locks are set up with.
     *
     * @param options used where none are given
     * @param sweepEvery how often leases that ended by themselves are cleared
     * @param drainTime how long closing waits for leases to be closed
     * @param closesStore whether the store is closed with the locks
     */
    public record LocksSettings(
            LeaseStore store,
            Environment environment,
            LeaseOptions options,
            Holder holder,
            Duration pollEvery,
            Duration sweepEvery,
            Duration drainTime,
            boolean closesStore) {

        public LocksSettings {
            requirePositive("pollEvery", pollEvery, "1s suits most stores");
            requirePositive("sweepEvery", sweepEvery, "1m suits most stores");
            if (drainTime.isNegative()) {
                throw new InvalidSettingException(
                        "drainTime", DurationText.format(drainTime), "is below 0s", "choose 0s not to wait at all");
            }
            options.terms().within(store.capabilities().maxLease());
        }

        private static void requirePositive(String setting, Duration value, String nextStep) {
            if (value.isNegative() || value.isZero()) {
                throw new InvalidSettingException(setting, DurationText.format(value), "must be above 0s", nextStep);
            }
        }
    }

    /**
     * The library's threads: a few for calls to the store, a few for renewals that cannot wait behind those, and as many as it
     * takes for the user's code, so that a listener or probe that hangs delays no other. Idle threads end.
     */
    static final class Threads implements Executor {

        private static final Logger log = LoggerFactory.getLogger(Threads.class);
        private static final int MAX_CALLS = 16;
        private static final int MAX_RENEWALS = 4;
        private static final long IDLE_SECONDS = 20;

        private final ThreadPoolExecutor calls;
        private final ThreadPoolExecutor renewals;
        private final ThreadPoolExecutor callbacks;

        Threads(Environment environment) {
            calls = pool(MAX_CALLS, environment.threads("interlock-call"));
            renewals = pool(MAX_RENEWALS, environment.threads("interlock-renewal"));
            callbacks = new ThreadPoolExecutor(
                    0,
                    Integer.MAX_VALUE,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    environment.threads("interlock-callback"));
        }

        Executor calls() {
            return calls;
        }

        /** Where renewals run that are made apart from the others. */
        Executor renewals() {
            return renewals;
        }

        /**
         * Runs the user's code; what it throws is logged. After {@link #close()}, and if there are no more threads to be had, it
         * runs on the thread that asks: late or in the wrong place is better than a grant or a loss that is never reported.
         */
        @Override
        public void execute(Runnable task) {
            try {
                callbacks.execute(() -> guarded(task));
            } catch (RejectedExecutionException | OutOfMemoryError noThread) {
                guarded(task);
            }
        }

        /** Takes no more; what has begun goes on. */
        void close() {
            calls.shutdown();
            renewals.shutdown();
            callbacks.shutdown();
        }

        private static ThreadPoolExecutor pool(int size, ThreadFactory threads) {
            ThreadPoolExecutor pool = new ThreadPoolExecutor(
                    size, size, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
            pool.allowCoreThreadTimeOut(true);
            return pool;
        }

        private static void guarded(Runnable task) {
            try {
                task.run();
            } catch (RuntimeException | Error failure) {
                log.error("a callback failed: {}", failure.toString(), failure);
            }
        }
    }
}
