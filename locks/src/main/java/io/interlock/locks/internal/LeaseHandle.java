package io.interlock.locks.internal;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseLostException;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.StoreUnavailableException;
import io.interlock.locks.Lease;
import io.interlock.locks.Lease.Release;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks.LeaseTask;
import io.interlock.locks.runtime.HeldLease;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
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

/** A lease that an application holds. It is lost or released, whichever comes first, and stays so. */
final class LeaseHandle extends HeldLease<RenewRequest, RenewAnswer> implements Lease {

    private static final Logger log = LoggerFactory.getLogger(LeaseHandle.class);

    private final Leases leases;
    private final List<LeaseRecord> granted;
    private final LeaseOptions options;
    private final long owner;
    private volatile boolean released;
    private List<Consumer<LossCause>> listeners = List.of();
    private @Nullable Runnable alarm;

    /**
     * A lease just granted.
     *
     * @param granted one record per key, in their order
     * @param asked taken before the request was sent
     * @param owner the id of the thread that asked, or 0 if it did not wait
     */
    LeaseHandle(Leases leases, List<LeaseRecord> granted, LeaseOptions options, Moment asked, long owner) {
        super(leases.time(), asked);
        this.leases = leases;
        this.granted = granted;
        this.options = options;
        this.owner = owner;
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
        return Duration.ofNanos(Math.max(0, nextDeadline()));
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
            cause = lost();
            if (cause == null) {
                List<Consumer<LossCause>> more = new ArrayList<>(listeners);
                more.add(listener);
                listeners = more;
            }
        }
        if (cause != null) {
            leases.tell(List.of(listener), cause);
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
                    "release of {} with token {} failed; the key opens at the end of its lease at the latest: {}",
                    key(),
                    token(),
                    unavailable.getMessage());
        }
    }

    @Override
    public String toString() {
        return "lease of " + tokens() + (released ? ", released" : lost() != null ? ", lost" : "");
    }

    <T extends @Nullable Object, X extends Exception> T run(LeaseTask<T, X> task) throws X {
        return new GuardedTask().run(task);
    }

    /** Whether {@code thread} asked for it and waited for the answer. */
    boolean isOwnedBy(long thread) {
        return owner == thread;
    }

    LeaseOptions options() {
        return options;
    }

    List<LeaseRecord> granted() {
        return granted;
    }

    LeaseRecord record(LockKey key) {
        return granted.stream()
                .filter(lease -> lease.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(this + " is not about " + key));
    }

    LeaseLostException lostException() {
        LossCause cause = lost();
        return new LeaseLostException(key(), token(), cause != null ? cause : LossCause.RELEASED);
    }

    @Override
    protected LeaseTerms terms() {
        return options.terms();
    }

    @Override
    protected Duration renewEvery() {
        Duration least = leases.writeEvery();
        return options.renewEvery().compareTo(least) < 0 ? least : options.renewEvery();
    }

    @Override
    protected boolean needsRenewal() {
        return isHeld();
    }

    @Override
    protected List<RenewRequest> renewRequests() {
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
    private void alarm(Runnable alarm) {
        synchronized (this) {
            if (lost() == null) {
                this.alarm = alarm;
                return;
            }
        }
        alarm.run();
    }

    @Override
    protected boolean isConfirmedBy(List<RenewAnswer> answers) {
        for (RenewAnswer answer : answers) {
            if (answer instanceof RenewAnswer.Lost loss) {
                lose(loss.cause());
                return false;
            }
        }
        return true;
    }

    @Override
    protected boolean checkDeadlines() {
        return isHeld();
    }

    @Override
    protected long nextDeadline() {
        return Math.min(reliableNanos(), holdLeft());
    }

    private long holdLeft() {
        return options.maxHold()
                .map(limit -> LocalTime.capped(limit).toNanos() - age())
                .orElse(Long.MAX_VALUE);
    }

    /** Whether it is lost, also if no timer has noticed yet. */
    private boolean isLost() {
        if (lost() == null && !released) {
            if (holdLeft() <= 0) {
                lose(LossCause.OVERDUE);
            } else if (reliableNanos() <= 0) {
                lose(LossCause.UNCONFIRMED);
            }
        }
        return lost() != null;
    }

    /** Declares it lost, unless it is lost or released already. */
    void lose(LossCause cause) {
        List<Consumer<LossCause>> told;
        Runnable urgent;
        synchronized (this) {
            if (released || !markLost(cause)) {
                return;
            }
            told = listeners;
            urgent = alarm;
            listeners = List.of();
            alarm = null;
        }
        if (urgent != null) {
            urgent.run();
        }
        leases.lost(this, cause);
        leases.tell(told, cause);
    }

    private boolean beginRelease() {
        // A release that comes too late says so, even if no timer has run in between.
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

    /**
     * A task that runs under this lease: it is interrupted if the lease is lost, and the key is given back when it has ended.
     *
     * <p>If the lease was lost, the caller gets that; what the task threw meanwhile is most likely a consequence and is attached. Only
     * an {@link Error} goes first.
     */
    private final class GuardedTask {

        private @Nullable Thread thread = Thread.currentThread();
        private boolean interruptedByUs;

        <T extends @Nullable Object, X extends Exception> T run(LeaseTask<T, X> task) throws X {
            alarm(this::interrupt);
            T value;
            try {
                value = task.run(LeaseHandle.this);
            } catch (Throwable thrown) {
                LeaseLostException lost = end();
                if (lost == null) {
                    throw thrown;
                }
                if (thrown instanceof Error) {
                    thrown.addSuppressed(lost);
                    throw thrown;
                }
                lost.addSuppressed(thrown);
                throw lost;
            }
            LeaseLostException lost = end();
            if (lost != null) {
                throw lost;
            }
            return value;
        }

        private @Nullable LeaseLostException end() {
            taskEnded();
            boolean wasLost;
            try {
                wasLost = release() == Release.WAS_LOST || lost() != null;
            } catch (RuntimeException failure) {
                // Whatever the store does now, the caller wants to know how its task ended.
                wasLost = lost() != null;
                log.warn("release of {} failed; retrying in the background: {}", key(), failure.toString());
            }
            return wasLost ? lostException() : null;
        }

        // An interrupt that was there before is not ours and stays.
        private synchronized void interrupt() {
            if (thread != null && !thread.isInterrupted()) {
                interruptedByUs = true;
                thread.interrupt();
            }
        }

        private synchronized void taskEnded() {
            thread = null;
            if (interruptedByUs) {
                Thread.interrupted();
            }
        }
    }
}
