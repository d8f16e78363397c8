package io.interlock.locks.internal;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseLostException;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.StoreUnavailableException;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Release;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewRequest;
import io.interlock.time.Moment;
import io.interlock.time.TimerQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lease this process holds: until when it may rely on it, and whether it is lost or released. Both are final, and the
 * first of them wins.
 */
final class HeldLease implements Lease {

    private static final Logger log = LoggerFactory.getLogger(HeldLease.class);

    private final Leases leases;
    private final List<LeaseRecord> granted;
    private final LeaseOptions options;
    private final Moment asked;
    private final long owner;
    private volatile Moment confirmed;
    private volatile @Nullable LossCause lost;
    private volatile boolean released;
    private List<Consumer<LossCause>> listeners = List.of();
    private @Nullable Runnable alarm;
    private TimerQueue.@Nullable Entry<HeldLease> renewal;
    private TimerQueue.@Nullable Entry<HeldLease> deadline;

    /**
     * A lease just granted.
     *
     * @param granted one record per key, in their order
     * @param asked taken before the request was sent: the store cannot have counted from earlier
     * @param owner the id of the thread that asked, or 0 if it did not wait
     */
    HeldLease(Leases leases, List<LeaseRecord> granted, LeaseOptions options, Moment asked, long owner) {
        this.leases = leases;
        this.granted = granted;
        this.options = options;
        this.asked = asked;
        this.owner = owner;
        this.confirmed = asked;
    }

    @Override
    public LockKey key() {
        return granted.get(0).key();
    }

    @Override
    public FencingToken token() {
        return granted.get(0).token();
    }

    @Override
    public FencingToken token(LockKey key) {
        return record(key).token();
    }

    @Override
    public SortedMap<LockKey, FencingToken> tokens() {
        SortedMap<LockKey, FencingToken> tokens = new TreeMap<>();
        granted.forEach(lease -> tokens.put(lease.key(), lease.token()));
        return Collections.unmodifiableSortedMap(tokens);
    }

    @Override
    public LeaseId id() {
        return granted.get(0).id();
    }

    @Override
    public boolean isHeld() {
        return !released && !isLost();
    }

    @Override
    public Duration remaining() {
        if (!isHeld()) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(Math.max(0, Deadlines.left(this, leases.time())));
    }

    @Override
    public void checkpoint() {
        if (isLost() || released) {
            throw lostException();
        }
    }

    @Override
    public void onLost(Consumer<LossCause> listener) {
        LossCause cause;
        synchronized (this) {
            cause = lost;
            if (cause == null) {
                List<Consumer<LossCause>> more = new ArrayList<>(listeners);
                more.add(listener);
                listeners = more;
            }
        }
        if (cause != null) {
            leases.tell(this, List.of(listener), cause);
        }
    }

    @Override
    public Release release() {
        return beginRelease() ? leases.release(this) : Release.WAS_RELEASED;
    }

    @Override
    public CompletionStage<Release> releaseAsync() {
        return beginRelease() ? leases.releaseAsync(this) : CompletableFuture.completedStage(Release.WAS_RELEASED);
    }

    @Override
    public void close() {
        try {
            release();
        } catch (StoreUnavailableException unavailable) {
            log.warn(
                    "{} with token {} could not be given back now; it opens at the end of its lease: {}",
                    key(),
                    token(),
                    unavailable.getMessage());
        }
    }

    @Override
    public String toString() {
        return "lease of " + tokens() + (released ? ", released" : lost != null ? ", lost" : "");
    }

    /** The one who asked for it, if it was a thread that waited. */
    boolean isOwnedBy(long thread) {
        return owner == thread;
    }

    LeaseOptions options() {
        return options;
    }

    List<LeaseRecord> granted() {
        return granted;
    }

    /** The record of one of its keys. */
    LeaseRecord record(LockKey key) {
        return granted.stream()
                .filter(lease -> lease.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(this + " is not about " + key));
    }

    /** Before the last request the store confirmed. */
    Moment confirmedAt() {
        return confirmed;
    }

    Moment askedAt() {
        return asked;
    }

    @Nullable
    LossCause lossCause() {
        return lost;
    }

    LeaseLostException lostException() {
        LossCause cause = lost;
        return new LeaseLostException(key(), token(), cause != null ? cause : LossCause.RELEASED);
    }

    List<RenewRequest> renewRequests() {
        return granted.stream()
                .map(lease -> new RenewRequest(
                        lease.key(), lease.id(), lease.token(), options.terms().ttl()))
                .toList();
    }

    List<ReleaseRequest> releaseRequests() {
        return granted.stream()
                .map(lease -> new ReleaseRequest(lease.key(), lease.id(), lease.token()))
                .toList();
    }

    /** Runs {@code alarm} at once, and on the thread that notices, if the lease is lost. It must not block. */
    void alarm(Runnable alarm) {
        synchronized (this) {
            if (lost == null) {
                this.alarm = alarm;
                return;
            }
        }
        alarm.run();
    }

    /** The store confirmed a renewal that was asked for at {@code before}. It does not bring back what is over. */
    void confirm(Moment before) {
        if (isHeld() && before.nanos() - confirmed.nanos() > 0) {
            confirmed = before;
        }
    }

    /** Whether it is lost, also if nobody had noticed yet. */
    boolean isLost() {
        if (lost == null && !released) {
            LossCause cause = Deadlines.verdict(this, leases.time());
            if (cause != null) {
                lose(cause);
            }
        }
        return lost != null;
    }

    /** Declares it lost, unless it is lost or released already. */
    void lose(LossCause cause) {
        List<Consumer<LossCause>> told;
        Runnable urgent;
        synchronized (this) {
            if (lost != null || released) {
                return;
            }
            lost = cause;
            told = listeners;
            urgent = alarm;
            listeners = List.of();
            alarm = null;
        }
        if (urgent != null) {
            urgent.run();
        }
        leases.lost(this, cause);
        leases.tell(this, told, cause);
    }

    /** The store said, when it was given back, that it had been lost before. */
    synchronized void foundLost(LossCause cause) {
        if (lost == null) {
            lost = cause;
        }
    }

    synchronized void plan(TimerQueue.Entry<HeldLease> renewal, TimerQueue.Entry<HeldLease> deadline) {
        this.renewal = renewal;
        this.deadline = deadline;
    }

    synchronized TimerQueue.@Nullable Entry<HeldLease> renewal() {
        return renewal;
    }

    synchronized TimerQueue.@Nullable Entry<HeldLease> deadline() {
        return deadline;
    }

    private boolean beginRelease() {
        // Whoever gives back too late should hear so, even if no timer has run in between.
        isLost();
        synchronized (this) {
            if (released) {
                return false;
            }
            released = true;
            listeners = List.of();
            alarm = null;
            return true;
        }
    }
}
