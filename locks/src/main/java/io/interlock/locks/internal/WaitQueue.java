package io.interlock.locks.internal;

import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.locks.Acquisition;
import io.interlock.spi.ChangeFeed;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Those of this process who wait for one key, in the order they came. The first looks at the store, when a wake-up comes,
 * when the poll is due, or when its turn has just come; the others wait behind it. One look at a time.
 *
 * <p>It listens before it looks, and a wake-up during a look makes it look again, so none is lost in between.
 */
final class WaitQueue {

    private static final Logger log = LoggerFactory.getLogger(WaitQueue.class);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(5);
    private static final double SPREAD = 0.2;

    private final LockKey key;
    private final LocksRuntime runtime;
    private final TreeSet<AcquireWaiter> turns = new TreeSet<>(Comparator.comparingLong(AcquireWaiter::ticket));
    private boolean retired;
    // Nobody looks before somebody listens.
    private boolean looking = true;
    private boolean listening;
    private boolean again;
    private @Nullable Refusal refusal;
    private ChangeFeed.@Nullable Subscription subscription;
    private Timers.@Nullable Scheduled poll;

    WaitQueue(LockKey key, LocksRuntime runtime) {
        this.key = key;
        this.runtime = runtime;
    }

    /** Adds {@code turn}, unless the line has ended in the meantime. */
    boolean join(AcquireWaiter turn) {
        boolean first;
        synchronized (this) {
            if (retired) {
                return false;
            }
            first = !listening;
            listening = true;
            turns.add(turn);
        }
        if (first) {
            listen();
        }
        lookAgain();
        return true;
    }

    /** Takes {@code turn} out. If it was the first, the next one's turn has come. */
    void leave(AcquireWaiter turn) {
        boolean next;
        synchronized (this) {
            next = !turns.isEmpty() && turns.first().equals(turn);
            turns.remove(turn);
        }
        retireIfEmpty();
        if (next) {
            lookAgain();
        }
    }

    /** Why nobody here is served, as far as is known. */
    synchronized @Nullable Refusal refusal() {
        return refusal;
    }

    synchronized List<AcquireWaiter> turns() {
        return new ArrayList<>(turns);
    }

    /** Lets the first in line look now, or once more if it is just looking. */
    void lookAgain() {
        AcquireWaiter head;
        synchronized (this) {
            if (looking) {
                again = true;
                return;
            }
            if (turns.isEmpty() || runtime.gate().isClosed()) {
                return;
            }
            looking = true;
            again = false;
            cancelPoll();
            head = turns.first();
        }
        runtime.acquirer()
                .lookAsync(head.ask())
                .whenComplete((acquisition, failure) -> looked(head, acquisition, failure));
    }

    private void looked(AcquireWaiter head, @Nullable Acquisition acquisition, @Nullable Throwable failure) {
        if (failure != null) {
            remove(head);
            head.fail(Futures.cause(failure));
            looked(true, Duration.ZERO);
        } else if (acquisition instanceof Acquisition.Refused refused) {
            heard(head, refused.refusal());
        } else if (acquisition instanceof Acquisition.Granted granted) {
            remove(head);
            HeldLease lease = (HeldLease) granted.granted();
            // The lease may be about several keys.
            Refusal held = new Refusal.Held(lease.record(key));
            synchronized (this) {
                refusal = held;
            }
            head.settle(acquisition, runtime.leases());
            looked(false, runtime.settings().pollEvery());
        }
    }

    private void heard(AcquireWaiter head, Refusal heard) {
        head.refused(heard);
        if (!heard.key().equals(key)) {
            // It asked for several keys, and another one stands in the way: it waits there, and keeps its age.
            remove(head);
            runtime.lines().join(head, heard.key());
            looked(true, Duration.ZERO);
            return;
        }
        synchronized (this) {
            refusal = heard;
        }
        Duration pollEvery = runtime.settings().pollEvery();
        looked(false, heard.retryAfter().compareTo(pollEvery) < 0 ? heard.retryAfter() : pollEvery);
    }

    private void looked(boolean atOnce, Duration pause) {
        boolean more;
        synchronized (this) {
            looking = false;
            more = again || atOnce;
            if (!more && !turns.isEmpty()) {
                Duration delay = pause.equals(runtime.settings().pollEvery())
                        ? runtime.time().jittered(pause, SPREAD)
                        : pause;
                poll = runtime.deadlines()
                        .after(delay.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : delay, this::lookAgain);
            }
        }
        retireIfEmpty();
        if (more) {
            lookAgain();
        }
    }

    private void listen() {
        ChangeFeed.Subscription heard = () -> {};
        try {
            heard = runtime.settings().store().changes().watch(key, this::lookAgain);
        } catch (RuntimeException failure) {
            log.warn("no wake-ups for {}, only polls: {}", key, failure.toString());
        }
        synchronized (this) {
            subscription = heard;
            looking = false;
        }
        retireIfEmpty();
    }

    private synchronized void remove(AcquireWaiter turn) {
        turns.remove(turn);
    }

    private void retireIfEmpty() {
        ChangeFeed.Subscription over;
        synchronized (this) {
            if (retired || looking || !turns.isEmpty()) {
                return;
            }
            retired = true;
            cancelPoll();
            over = subscription;
        }
        runtime.lines().forget(key, this);
        if (over != null) {
            over.close();
        }
    }

    private void cancelPoll() {
        if (poll != null) {
            poll.cancel();
            poll = null;
        }
    }
}
