package io.interlock.locks.runtime;

import io.interlock.StoreUnavailableException;
import io.interlock.log.AsideLog;
import io.interlock.spi.Answers;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import io.interlock.time.TimerQueue;
import io.interlock.time.TimerQueue.SleepWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of this process and watches their deadlines.
 *
 * <p>Leases that are due together are renewed in one call, on a thread of its own; one that is due alone, on one of several. A
 * renewal that fails is tried again soon, and again, until the lease is confirmed, lost or given back; it is never dropped. Deadlines
 * are checked on another thread that never blocks, so a store call that hangs cannot delay the news of a loss. Safe for use by many
 * threads.
 */
public final class LeaseRuntime<Q, A> {

    private static final Logger log = LoggerFactory.getLogger(LeaseRuntime.class);
    private static final int MAX_LEASES = 500;
    private static final double SPREAD = 0.1;
    private static final int SEARCH_PART = 10;
    private static final long CHECK_AGAIN = Duration.ofMillis(100).toNanos();
    private static final long LAST_ANSWERS_SECONDS = 2;

    private final Function<List<Q>, Answers<A>> store;
    private final Timers timers;
    private final Executor apart;
    private final LocalTime time;
    private final AsideLog aside;
    private final TimerQueue<HeldLease<Q, A>> renewals;
    private final TimerQueue<HeldLease<Q, A>> deadlines;
    private final SleepWatch sleep;

    /** Held for reading by calls under way, and for writing once none may begin. */
    private final ReentrantReadWriteLock underWay = new ReentrantReadWriteLock();

    /**
     * A runtime without leases.
     *
     * @param timers runs the calls, which may block; closed with this
     * @param watch runs the checks of deadlines, which never block
     * @param apart runs calls for a single lease, which may block
     */
    public LeaseRuntime(
            Function<List<Q>, Answers<A>> store, Environment environment, Timers timers, Timers watch, Executor apart) {
        this.store = store;
        this.timers = timers;
        this.apart = apart;
        this.time = new LocalTime(environment);
        this.aside = new AsideLog(environment);
        this.renewals = new TimerQueue<>(timers, environment.ticker(), this::renewDue);
        this.deadlines = new TimerQueue<>(watch, environment.ticker(), due -> due.forEach(this::check));
        // After a sleep of the machine, the planned times are too late.
        this.sleep = new SleepWatch(watch, time, deadlines, () -> timers.after(Duration.ZERO, renewals::all));
    }

    /** Plans {@code held}, which no other thread knows yet. */
    public void plan(HeldLease<Q, A> held) {
        // Up to a quarter early, so that leases fall into step and share calls.
        held.plan(renewals.entry(held, held.renewEvery().dividedBy(4)), deadlines.entry(held, Duration.ZERO));
    }

    /** Begins to renew and to watch {@code held}. */
    public void keep(HeldLease<Q, A> held) {
        schedule(held, held.confirmed(), held.renewEvery());
        watchAnew(held);
        sleep.begin();
    }

    /** Renews {@code held} no more. */
    public void stopRenewing(HeldLease<Q, A> held) {
        renewals.strike(held.renewal());
    }

    /** Watches the deadlines of {@code held} no more. */
    public void stopWatching(HeldLease<Q, A> held) {
        deadlines.strike(held.deadline());
    }

    /** Renews and watches {@code held} no more. */
    public void forget(HeldLease<Q, A> held) {
        stopRenewing(held);
        stopWatching(held);
    }

    /** Renews {@code held} after {@code delay}, whatever was planned. */
    public void renewAfter(HeldLease<Q, A> held, Duration delay) {
        renewals.set(held.renewal(), time.now().nanos() + delay.toNanos());
    }

    /** Renews {@code held} after {@code delay}, or as planned if that is earlier. */
    public void renewWithin(HeldLease<Q, A> held, Duration delay) {
        renewals.advance(held.renewal(), time.now().nanos() + delay.toNanos());
    }

    /** Plans anew when the deadlines of {@code held} are checked. */
    public void watchAnew(HeldLease<Q, A> held) {
        // From now on, not from when it was confirmed: the ticker may have stood still in between.
        watchAfter(held, Math.max(0, held.nextDeadline()));
    }

    /** Renews nothing any more. Waits for the answers under way, unless the store hangs: it may be closed after this. */
    public void close() {
        timers.close();
        try {
            if (!underWay.writeLock().tryLock(LAST_ANSWERS_SECONDS, TimeUnit.SECONDS)) {
                log.debug("renewals under way have no answers yet");
            }
        } catch (InterruptedException stopWaiting) {
            Thread.currentThread().interrupt();
        }
    }

    // A lease that cannot be checked must not keep the others from being checked in time.
    private void check(HeldLease<Q, A> held) {
        try {
            // A renewal moves the deadline without telling the queue: it is planned anew when the old one has come.
            if (held.checkDeadlines()) {
                watchAnew(held);
            }
        } catch (RuntimeException | Error failure) {
            log.error("deadline check of {} failed; retrying", held, failure);
            watchAfter(held, CHECK_AGAIN);
        }
    }

    private void watchAfter(HeldLease<Q, A> held, long nanos) {
        deadlines.set(held.deadline(), time.now().nanos() + nanos);
    }

    private void renewDue(List<HeldLease<Q, A>> due) {
        beforeTheEnd(() -> {
            for (int from = 0; from < due.size(); from += MAX_LEASES) {
                renew(due.subList(from, Math.min(due.size(), from + MAX_LEASES)), time.now());
            }
        });
    }

    private void renew(List<HeldLease<Q, A>> due, Moment begun) {
        List<HeldLease<Q, A>> held =
                due.stream().filter(HeldLease::needsRenewal).toList();
        if (held.size() == 1) {
            // There is no call to share, and one that hangs must not delay those that are due meanwhile.
            apart(() -> renewTogether(held, begun));
        } else if (!held.isEmpty()) {
            renewTogether(held, begun);
        }
    }

    private void renewTogether(List<HeldLease<Q, A>> held, Moment begun) {
        List<Renewal> calls = held.stream().map(Renewal::new).toList();
        Moment before = time.now();
        try {
            Answers<A> answers = store.apply(
                    calls.stream().flatMap(call -> call.requests.stream()).toList());
            int next = 0;
            for (Renewal call : calls) {
                for (int i = 0; i < call.requests.size(); i++, next++) {
                    if (!answers.isOpen(next)) {
                        call.answered(i, answers.get(next), before);
                    }
                }
            }
            calls.forEach(this::conclude);
        } catch (StoreUnavailableException unavailable) {
            if (calls.size() > 1 && isQuick(begun, calls)) {
                // The store is there, so perhaps it is one of them that it cannot renew.
                int half = held.size() / 2;
                renew(held.subList(0, half), begun);
                renew(held.subList(half, held.size()), begun);
                return;
            }
            calls.forEach(call -> retry(call.held));
            aside.write(() ->
                    log.warn("renewal of {} leases failed; retrying: {}", calls.size(), unavailable.getMessage()));
        } catch (RuntimeException | Error failure) {
            calls.forEach(call -> apart(() -> renewAlone(call)));
            aside.write(() ->
                    log.warn("renewal of {} leases in one call failed; trying each alone", calls.size(), failure));
        }
    }

    // All of it counts, from the first call on: while we search, leases run out.
    private boolean isQuick(Moment begun, List<Renewal> calls) {
        long shortest = calls.stream()
                .mapToLong(call -> call.held.renewEvery().toNanos())
                .min()
                .orElseThrow();
        return time.elapsed(begun) < shortest / SEARCH_PART;
    }

    private void conclude(Renewal call) {
        if (call.isComplete()) {
            call.conclude();
        } else {
            // Another step changes one of its keys. Waiting for that must not delay the other leases.
            apart(() -> renewAlone(call));
        }
    }

    private void apart(Runnable call) {
        try {
            apart.execute(() -> beforeTheEnd(call));
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            call.run();
        }
    }

    private void beforeTheEnd(Runnable call) {
        if (underWay.readLock().tryLock()) {
            try {
                call.run();
            } finally {
                underWay.readLock().unlock();
            }
        }
    }

    private void renewAlone(Renewal call) {
        try {
            for (int i = 0; i < call.requests.size() && call.held.needsRenewal(); i++) {
                if (call.answers.get(i) == null) {
                    Moment before = time.now();
                    call.answered(i, store.apply(List.of(call.requests.get(i))).only(), before);
                }
            }
            if (call.isComplete()) {
                call.conclude();
            }
        } catch (RuntimeException | Error failure) {
            retry(call.held);
            aside.write(() -> log.warn("renewal of {} failed; retrying: {}", call.held, failure.toString()));
        }
    }

    private void retry(HeldLease<Q, A> held) {
        schedule(held, time.now(), held.renewEvery().dividedBy(4));
    }

    private void schedule(HeldLease<Q, A> held, Moment from, Duration delay) {
        // An entry struck off by release or loss stays off, whichever answer arrives late.
        renewals.set(held.renewal(), from.nanos() + time.jittered(delay, SPREAD).toNanos());
    }

    /** The renewal of one lease. A lease of several keys lives only if all of them do. */
    private final class Renewal {
        private final HeldLease<Q, A> held;
        private final List<Q> requests;
        private final List<@Nullable A> answers;
        private @Nullable Moment since;

        Renewal(HeldLease<Q, A> held) {
            this.held = held;
            this.requests = held.renewRequests();
            this.answers = new ArrayList<>();
            requests.forEach(request -> answers.add(null));
        }

        void answered(int request, A answer, Moment before) {
            answers.set(request, answer);
            if (since == null) {
                // The earliest of its calls counts for the lease as a whole.
                since = before;
            }
        }

        boolean isComplete() {
            return !answers.contains(null);
        }

        void conclude() {
            List<A> all = List.copyOf(answers);
            Moment before = Objects.requireNonNull(since);
            if (held.isConfirmedBy(all)) {
                held.confirm(before);
                schedule(held, before, held.renewEvery());
                held.renewed(requests, all);
            }
        }
    }
}
