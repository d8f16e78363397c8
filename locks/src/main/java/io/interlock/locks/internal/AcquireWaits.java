package io.interlock.locks.internal;

import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.internal.Acquirer.PendingAcquire;
import io.interlock.locks.runtime.Futures;
import io.interlock.locks.runtime.WaitQueues;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Callers that wait for a key, with or without a thread. Those of this process that wait for one key are served in the order they came.
 * A caller asks by itself only if no other one waits for its key. Safe for use by many threads.
 */
final class AcquireWaits {

    private final Environment environment;
    private final LocalTime time;
    private final Timers deadlines;
    private final Executor callbacks;
    private final Acquirer acquirer;
    private final Leases leases;
    private final WaitQueues<LockKey, Refusal> queues;
    private final Set<Waiter> open = ConcurrentHashMap.newKeySet();

    /**
     * No waits yet.
     *
     * @param deadlines runs time limits, which never block
     * @param callbacks where results of callers without a thread are completed, so that what depends on them harms nothing
     */
    AcquireWaits(
            Environment environment,
            Timers deadlines,
            Executor callbacks,
            Acquirer acquirer,
            Leases leases,
            WaitQueues<LockKey, Refusal> queues) {
        this.environment = environment;
        this.time = new LocalTime(environment);
        this.deadlines = deadlines;
        this.callbacks = callbacks;
        this.acquirer = acquirer;
        this.leases = leases;
        this.queues = queues;
    }

    /** Waits up to {@code maxWait} on the calling thread. */
    Acquisition await(PendingAcquire wanted, Duration maxWait) throws InterruptedException {
        Moment began = time.now();
        LockKey busy = waitedFor(wanted.request().keys());
        if (busy != null && !maxWait.isZero()) {
            return new Waiter(wanted, maxWait, Runnable::run).await(busy);
        }
        Acquisition first = acquirer.ask(wanted);
        Duration left = maxWait.minusNanos(time.elapsed(began));
        if (!(first instanceof Acquisition.Refused refused) || left.isNegative() || left.isZero()) {
            return first;
        }
        Waiter waiter = new Waiter(wanted, left, Runnable::run);
        waiter.refusal = refused.refusal();
        return waiter.await(refused.refusal().key());
    }

    /** Waits up to {@code maxWait} without a thread; asks once if that is zero. */
    CompletionStage<Acquisition> awaitAsync(PendingAcquire wanted, Duration maxWait) {
        LockKey busy = maxWait.isZero() ? null : waitedFor(wanted.request().keys());
        Waiter waiter = new Waiter(wanted, maxWait, callbacks);
        if (busy != null) {
            waiter.join(busy);
            return waiter.result;
        }
        acquirer.askAsync(waiter.wanted).whenComplete((acquisition, failure) -> {
            if (failure != null) {
                waiter.fail(Futures.cause(failure));
            } else if (!maxWait.isZero() && acquisition instanceof Acquisition.Refused refused) {
                waiter.refusal = refused.refusal();
                waiter.join(refused.refusal().key());
            } else {
                waiter.settle(acquisition);
            }
        });
        return waiter.result;
    }

    void close() {
        open.forEach(waiter -> waiter.fail(Leases.closed()));
    }

    private @Nullable LockKey waitedFor(Collection<LockKey> keys) {
        for (LockKey key : keys) {
            if (queues.isWaitedFor(key)) {
                return key;
            }
        }
        return null;
    }

    /**
     * One caller. Completing its result in any way ends its wait: a grant that finds the result complete, because of a timeout, an
     * interrupt or a cancellation, is given back.
     */
    private final class Waiter extends WaitQueues.Waiter<Refusal> {

        private final PendingAcquire wanted;
        private final Executor completes;
        private final CompletableFuture<Acquisition> result = new CompletableFuture<>();
        private volatile @Nullable Refusal refusal;
        private volatile @Nullable LockKey place;

        Waiter(PendingAcquire wanted, Duration maxWait, Executor completes) {
            super(queues.ticket());
            this.wanted = maxWait.isZero() ? wanted : wanted.waiting();
            this.completes = completes;
            if (maxWait.isZero()) {
                return;
            }
            Timers.Scheduled limit = deadlines.after(LocalTime.capped(maxWait), this::timeOut);
            Futures.whenOver(result, (acquisition, failure) -> {
                limit.cancel();
                leave();
            });
        }

        Acquisition await(LockKey key) throws InterruptedException {
            join(key);
            try {
                return result.get();
            } catch (InterruptedException interrupted) {
                // Ends the wait, unless the grant came at this very moment: then it is given back.
                if (!result.cancel(false) && !result.isCompletedExceptionally()) {
                    result.join().lease().ifPresent(Lease::close);
                }
                throw interrupted;
            } catch (ExecutionException failure) {
                throw Futures.unchecked(failure);
            }
        }

        void join(LockKey key) {
            place = key;
            open.add(this);
            Refusal known = refusal;
            queues.join(this, key, known != null && known.key().equals(key) ? known : null);
            if (leases.held().isClosed()) {
                fail(Leases.closed());
            }
            if (result.isDone()) {
                // Its wait ended before it had its place.
                leave();
            }
        }

        @Override
        protected CompletionStage<WaitQueues.Next<Refusal>> ask() {
            return acquirer.askAsync(wanted).handle(this::answered);
        }

        private WaitQueues.Next<Refusal> answered(@Nullable Acquisition acquisition, @Nullable Throwable failure) {
            if (failure != null) {
                Throwable why = Futures.cause(failure);
                return new WaitQueues.Next<>(() -> fail(why), null, null);
            }
            LockKey key = Objects.requireNonNull(place);
            if (acquisition instanceof Acquisition.Granted granted) {
                // The lease may be for several keys. The next waiter asks when it ends.
                Refusal held = new Refusal.Held(((LeaseHandle) granted.granted()).record(key));
                return new WaitQueues.Next<>(() -> settle(acquisition), WaitQueues.NEXT_POLL, held);
            }
            Refusal latest = ((Acquisition.Refused) Objects.requireNonNull(acquisition)).refusal();
            refusal = latest;
            if (!latest.key().equals(key)) {
                // It wants several keys, and another one is held: it waits for that one, and keeps its age.
                return new WaitQueues.Next<>(() -> join(latest.key()), null, null);
            }
            return new WaitQueues.Next<>(null, latest.retryAfter(), latest);
        }

        void settle(Acquisition acquisition) {
            completes.execute(() -> {
                if (!result.complete(acquisition) && acquisition instanceof Acquisition.Granted granted) {
                    leases.giveBack((LeaseHandle) granted.granted());
                }
            });
        }

        void fail(Throwable failure) {
            completes.execute(() -> result.completeExceptionally(failure));
        }

        private void leave() {
            open.remove(this);
            LockKey key = place;
            if (key != null) {
                queues.leave(this, key);
            }
        }

        private void timeOut() {
            LockKey key = place;
            Refusal latest = key == null ? null : queues.lastAnswer(key);
            if (latest == null) {
                latest = refusal;
            }
            if (latest != null) {
                settle(new Acquisition.Refused(latest));
                return;
            }
            // It is not known yet why it must wait, so it asks: under another id, because the first in the queue may be
            // asking for it,
            // too, and both would be given the same grant.
            PendingAcquire own = wanted.named(LeaseId.random(environment.random()));
            acquirer.askAsync(own).whenComplete((acquisition, failure) -> {
                if (failure != null) {
                    fail(Futures.cause(failure));
                } else {
                    settle(acquisition);
                }
            });
        }
    }
}
