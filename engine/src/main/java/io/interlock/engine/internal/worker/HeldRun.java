package io.interlock.engine.internal.worker;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.engine.Job;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.run.StopRequest;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.HeartbeatRequest;
import io.interlock.spi.run.OutputNote;
import io.interlock.time.Moment;
import io.interlock.time.TimerQueue;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A run this process has the lease of: until when it may rely on that, what the work says of itself, and whether it must
 * stop. Loss and end are final. Safe for use by many threads.
 */
public final class HeldRun {

    /** Told of what befalls a run that is held. */
    interface Listener {

        /** The run must stop. */
        void stop(HeldRun held, StopRequest stop);

        /** The max runtime is over. */
        void overdue(HeldRun held);

        /** The lease no longer counts. */
        void lose(HeldRun held, LossCause cause);

        /** The work was told to stop and did not within its grace. */
        void stuck(HeldRun held);

        /** A stage takes longer than it may. */
        void overBudget(HeldRun held);
    }

    private final Run run;
    private final Job job;
    private final LeaseRecord lease;
    private final Moment asked;
    private final StopSignal stop;
    private final WorkReport report = new WorkReport();
    private volatile Moment confirmed;
    private volatile @Nullable LossCause lost;
    private volatile boolean ended;
    private volatile boolean stuck;
    private volatile WorkReport.@Nullable Entered overBudget;
    private final AtomicBoolean hurried = new AtomicBoolean();
    private TimerQueue.@Nullable Entry<HeldRun> heartbeat;
    private TimerQueue.@Nullable Entry<HeldRun> deadline;
    private ChangeFeed.@Nullable Subscription heard;
    private boolean deaf;

    /**
     * A run just granted.
     *
     * @param asked taken before the request was sent: the store cannot have counted from earlier
     */
    HeldRun(Run run, Job job, LeaseRecord lease, Moment asked, StopSignal stop) {
        this.run = run;
        this.job = job;
        this.lease = lease;
        this.asked = asked;
        this.stop = stop;
        this.confirmed = asked;
    }

    /** Sets when it is to be looked after; before anybody else knows it. */
    void plan(TimerQueue.Entry<HeldRun> heartbeat, TimerQueue.Entry<HeldRun> deadline) {
        this.heartbeat = heartbeat;
        this.deadline = deadline;
    }

    public Run run() {
        return run;
    }

    Job job() {
        return job;
    }

    public LockKey key() {
        return run.key();
    }

    public FencingToken token() {
        return lease.token();
    }

    public StopSignal stop() {
        return stop;
    }

    WorkReport report() {
        return report;
    }

    Duration ttl() {
        return run.spec().terms().ttl();
    }

    Duration beatEvery() {
        return ttl().dividedBy(3);
    }

    /** Before it was asked for. */
    Moment asked() {
        return asked;
    }

    /** Before the last heartbeat was sent that the store confirmed. */
    Moment confirmed() {
        return confirmed;
    }

    synchronized void confirm(Moment before) {
        if (lost == null && before.nanos() - confirmed.nanos() > 0) {
            confirmed = before;
        }
    }

    /** Why the lease no longer counts, or {@code null} if it does. */
    @Nullable
    public LossCause lost() {
        return lost;
    }

    /** The lease no longer counts: whether that is news. */
    synchronized boolean lose(LossCause cause) {
        if (lost != null) {
            return false;
        }
        lost = cause;
        return true;
    }

    /** Whether the work has stopped, so that only its ending is to be told. */
    public boolean hasEnded() {
        return ended;
    }

    /** The work has stopped: whether that is news. */
    synchronized boolean end() {
        boolean first = !ended;
        ended = true;
        return first;
    }

    /** Whether it was told to stop and did not. */
    boolean isStuck() {
        return stuck && !ended;
    }

    void markStuck() {
        stuck = true;
    }

    /** Whether it was said of {@code stage} that it takes too long. */
    boolean isWarnedAbout(WorkReport.Entered stage) {
        return stage.equals(overBudget);
    }

    void warnedAbout(WorkReport.Entered stage) {
        overBudget = stage;
    }

    /** Its next heartbeat should be sent soon: whether that is news. */
    boolean hurry() {
        return hurried.compareAndSet(false, true);
    }

    boolean isHurried() {
        return hurried.get();
    }

    /** A heartbeat is made now. */
    void calm() {
        hurried.set(false);
    }

    TimerQueue.@Nullable Entry<HeldRun> heartbeat() {
        return heartbeat;
    }

    TimerQueue.@Nullable Entry<HeldRun> deadline() {
        return deadline;
    }

    HeartbeatRequest beatRequest(WorkReport.Words words) {
        return new HeartbeatRequest(run.id(), run.key(), lease.id(), lease.token(), words.stage(), words.progress());
    }

    /** Hears by {@code wakeUps} that somebody may want it to stop, until it is {@linkplain #deafen() deaf}. */
    void hears(ChangeFeed.Subscription wakeUps) {
        synchronized (this) {
            if (!deaf) {
                heard = wakeUps;
                return;
            }
        }
        wakeUps.close();
    }

    /** Hears nothing any more. */
    void deafen() {
        ChangeFeed.Subscription over;
        synchronized (this) {
            deaf = true;
            over = heard;
            heard = null;
        }
        if (over != null) {
            over.close();
        }
    }

    OutputNote outputNote(String text) {
        return new OutputNote(run.id(), run.key(), lease.id(), lease.token(), text);
    }

    FinishRequest finishRequest(Ending ending) {
        return new FinishRequest(run.id(), run.key(), lease.id(), lease.token(), ending);
    }
}
