package io.interlock.locks.runtime;

import io.interlock.LeaseTerms;
import io.interlock.LossCause;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import io.interlock.time.TimerQueue;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A lease this process holds, as {@link LeaseRuntime} renews and watches it. Its time counts from before the last request was sent
 * that the store confirmed, so the holder stops before the store can grant the key elsewhere. Loss is final: a confirmation that
 * arrives after the deadline does not bring the lease back. Safe for use by many threads.
 */
public abstract class HeldLease<Q, A> {

    private final LocalTime time;
    private final Moment asked;
    private volatile Moment confirmed;
    private volatile @Nullable LossCause lost;
    private volatile TimerQueue.@Nullable Entry<HeldLease<Q, A>> renewal;
    private volatile TimerQueue.@Nullable Entry<HeldLease<Q, A>> deadline;

    /**
     * A lease just granted.
     *
     * @param asked taken before the request was sent: the store cannot have counted from earlier
     */
    protected HeldLease(LocalTime time, Moment asked) {
        this.time = time;
        this.asked = asked;
        this.confirmed = asked;
    }

    /** Time to live and lock delay. */
    protected abstract LeaseTerms terms();

    /** How often it is renewed. */
    protected abstract Duration renewEvery();

    /** Whether it is to be renewed: it is neither lost nor given back. */
    protected abstract boolean needsRenewal();

    /** What to send now to renew it: one request for each of its keys. */
    protected abstract List<Q> renewRequests();

    /** Whether {@code answers}, one for each request, confirm it as a whole. If they do not, this declares it lost. */
    protected abstract boolean isConfirmedBy(List<A> answers);

    /** The store has confirmed {@code requests}, and the next renewal is planned. */
    protected void renewed(List<Q> requests, List<A> answers) {}

    /** Declares what is over by now, and returns whether it is to be watched further. Never blocks. */
    protected abstract boolean checkDeadlines();

    /** Nanoseconds until its deadlines are to be checked, unless it is renewed before. */
    protected abstract long nextDeadline();

    /** Before the last request was sent that the store confirmed. */
    public final Moment confirmed() {
        return confirmed;
    }

    /** Nanoseconds since it was asked for. */
    public final long age() {
        return time.elapsed(asked);
    }

    /** How long it may be relied upon if no renewal is confirmed any more, in nanoseconds. */
    public final long reliableNanos() {
        return terms().reliance().toNanos() - time.elapsed(confirmed);
    }

    /** Why it is lost, or {@code null} if it is not. */
    public final @Nullable LossCause lost() {
        return lost;
    }

    /** Notes that it is lost. Returns false if it was lost before. */
    public final synchronized boolean markLost(LossCause cause) {
        if (lost != null) {
            return false;
        }
        lost = cause;
        return true;
    }

    /** The store confirmed a request that was sent after {@code before}. It does not bring back what is over. */
    public final synchronized void confirm(Moment before) {
        if (lost == null && reliableNanos() > 0 && before.nanos() - confirmed.nanos() > 0) {
            confirmed = before;
        }
    }

    final void plan(TimerQueue.Entry<HeldLease<Q, A>> renewal, TimerQueue.Entry<HeldLease<Q, A>> deadline) {
        this.renewal = renewal;
        this.deadline = deadline;
    }

    final TimerQueue.Entry<HeldLease<Q, A>> renewal() {
        return Objects.requireNonNull(renewal, "not planned");
    }

    final TimerQueue.Entry<HeldLease<Q, A>> deadline() {
        return Objects.requireNonNull(deadline, "not planned");
    }
}
