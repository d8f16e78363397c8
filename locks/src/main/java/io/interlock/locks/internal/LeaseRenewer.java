package io.interlock.locks.internal;

import io.interlock.StoreUnavailableException;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import io.interlock.time.LocalTime;
import io.interlock.time.Moment;
import io.interlock.time.Ticker;
import io.interlock.time.TimerQueue;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews all leases of this process, those that are due together in one call, on a thread of its own; one that is due alone, on one of
 * several.
 *
 * <p>A renewal that fails is tried again soon, and again, until the lease is confirmed, lost or released; it is never
 * dropped. Whether a lease is lost for lack of renewal is not decided here but by {@link LossWatch}, which a call that
 * hangs cannot hold up.
 */
final class LeaseRenewer {

    private static final Logger log = LoggerFactory.getLogger(LeaseRenewer.class);
    private static final int MAX_LEASES = 500;
    private static final double SPREAD = 0.1;

    private final LeaseStore store;
    private final Timers timers;
    private final LocalTime time;
    private final Threads threads;
    private final TimerQueue<HeldLease> timerQueue;

    LeaseRenewer(LeaseStore store, Timers timers, Ticker ticker, LocalTime time, Threads threads) {
        this.store = store;
        this.timers = timers;
        this.time = time;
        this.threads = threads;
        this.timerQueue = new TimerQueue<>(timers, ticker, this::renewDue);
    }

    /** An entry for {@code lease}; up to a quarter early, so that leases fall into step and share calls. */
    TimerQueue.Entry<HeldLease> entry(HeldLease lease) {
        return timerQueue.entry(lease, lease.options().renewEvery().dividedBy(4));
    }

    /** Begins to renew {@code lease}. */
    void keep(HeldLease lease) {
        schedule(lease, lease.confirmedAt(), lease.options().renewEvery());
    }

    void forget(HeldLease lease) {
        TimerQueue.Entry<HeldLease> entry = lease.renewal();
        if (entry != null) {
            timerQueue.strike(entry);
        }
    }

    /** Renews everything on its thread, now: after a sleep of the machine, the planned time is too late. */
    void renewAllSoon() {
        timers.after(Duration.ZERO, timerQueue::all);
    }

    private void renewDue(List<HeldLease> due) {
        for (int from = 0; from < due.size(); from += MAX_LEASES) {
            renew(due.subList(from, Math.min(due.size(), from + MAX_LEASES)));
        }
    }

    private void renew(List<HeldLease> due) {
        List<Renewal> renewals =
                due.stream().filter(HeldLease::isHeld).map(Renewal::new).toList();
        if (renewals.size() == 1) {
            // There is no call to share, and one that hangs must not hold up those that are due meanwhile.
            apart(() -> renew(due, renewals));
        } else if (!renewals.isEmpty()) {
            renew(due, renewals);
        }
    }

    private void renew(List<HeldLease> due, List<Renewal> renewals) {
        List<RenewRequest> requests =
                renewals.stream().flatMap(r -> r.requests.stream()).toList();
        Moment before = time.now();
        try {
            Answers<RenewAnswer> answers = store.renew(requests);
            int next = 0;
            for (Renewal renewal : renewals) {
                for (RenewRequest request : renewal.requests) {
                    if (answers.isOpen(next)) {
                        renewal.open.add(request);
                    } else {
                        renewal.hear(answers.get(next));
                    }
                    next++;
                }
                settle(renewal, before);
            }
        } catch (StoreUnavailableException unavailable) {
            if (renewals.size() > 1 && isQuick(before, due.get(0))) {
                // The store is there, so perhaps it is one of them that it cannot renew.
                int half = due.size() / 2;
                renew(due.subList(0, half));
                renew(due.subList(half, due.size()));
                return;
            }
            renewals.forEach(renewal -> retry(renewal.lease));
            threads.aside()
                    .write(() -> log.warn(
                            "{} leases could not be renewed, trying again: {}", due.size(), unavailable.getMessage()));
        } catch (RuntimeException | Error failure) {
            for (Renewal renewal : renewals) {
                renewal.open.clear();
                renewal.open.addAll(renewal.requests);
                settle(renewal, before);
            }
            threads.aside()
                    .write(() -> log.warn(
                            "{} leases could not be renewed together, trying each alone", due.size(), failure));
        }
    }

    private boolean isQuick(Moment before, HeldLease lease) {
        return time.elapsed(before) < lease.options().renewEvery().toNanos() / 20;
    }

    private void settle(Renewal renewal, Moment before) {
        if (renewal.open.isEmpty()) {
            conclude(renewal, before);
            return;
        }
        // A key that somebody else is changing may keep us waiting; the other leases must not wait with it.
        apart(() -> renewAlone(renewal, before));
    }

    private void apart(Runnable renewal) {
        try {
            threads.renewals().execute(renewal);
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            renewal.run();
        }
    }

    private void renewAlone(Renewal renewal, Moment before) {
        try {
            for (RenewRequest request : renewal.open) {
                if (renewal.lease.isHeld()) {
                    renewal.hear(store.renew(List.of(request)).only());
                }
            }
            conclude(renewal, before);
        } catch (RuntimeException | Error failure) {
            retry(renewal.lease);
            threads.aside()
                    .write(() -> log.warn(
                            "{} could not be renewed, trying again: {}", renewal.lease.key(), failure.toString()));
        }
    }

    private void conclude(Renewal renewal, Moment before) {
        HeldLease lease = renewal.lease;
        if (renewal.lost != null) {
            lease.lose(renewal.lost.cause());
        } else {
            lease.confirm(before);
            schedule(lease, before, lease.options().renewEvery());
        }
    }

    private void retry(HeldLease lease) {
        schedule(lease, time.now(), lease.options().renewEvery().dividedBy(4));
    }

    // An entry struck off by release or loss stays off, whichever answer arrives late.
    private void schedule(HeldLease lease, Moment from, Duration delay) {
        TimerQueue.Entry<HeldLease> entry = lease.renewal();
        if (entry != null) {
            timerQueue.set(entry, from.nanos() + time.jittered(delay, SPREAD).toNanos());
        }
    }

    /** One lease's part of a call. A lease of several keys lives only if all of them do. */
    private static final class Renewal {
        private final HeldLease lease;
        private final List<RenewRequest> requests;
        private final List<RenewRequest> open = new ArrayList<>();
        private RenewAnswer.@Nullable Lost lost;

        Renewal(HeldLease lease) {
            this.lease = lease;
            this.requests = lease.renewRequests();
        }

        void hear(RenewAnswer answer) {
            if (answer instanceof RenewAnswer.Lost loss) {
                lost = loss;
            }
        }
    }
}
