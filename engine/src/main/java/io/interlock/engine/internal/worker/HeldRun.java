package io.interlock.engine.internal.worker;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.engine.Job;
import io.interlock.locks.runtime.HeldLease;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import io.interlock.spi.run.WorkSteps.OutputNote;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A run this process has the lease of: what the work reports, and whether it must stop. A heartbeat renews its lease, and brings back a
 * request to stop. Loss and end are final. Safe for use by many threads.
 */
public final class HeldRun extends HeldLease<HeartbeatRequest, HeartbeatAnswer> {

    private static final long NEVER = Duration.ofDays(3650).toNanos();

    private final ActiveRuns activeRuns;
    private final LocalTime time;
    private final Run run;
    private final Job job;
    private final LeaseRecord lease;
    private final StopSignal stop;
    private final WorkReport report = new WorkReport();
    private final AtomicBoolean hurried = new AtomicBoolean();
    private volatile boolean ended;
    private volatile boolean stuck;
    private volatile boolean sendsFinalReport;
    private volatile WorkReport.@Nullable Entered overBudget;
    private ChangeFeed.@Nullable Subscription wakeUps;
    private boolean listensNoMore;

    /**
     * A run just granted.
     *
     * @param asked taken before the request was sent: the store cannot have counted from earlier
     */
    HeldRun(ActiveRuns activeRuns, LocalTime time, Run run, Job job, LeaseRecord lease, Moment asked, StopSignal stop) {
        super(time, asked);
        this.activeRuns = activeRuns;
        this.time = time;
        this.run = run;
        this.job = job;
        this.lease = lease;
        this.stop = stop;
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

    /** How long the lease may be relied upon unless a heartbeat is confirmed; zero once it is over. */
    Duration remaining() {
        return lost() != null || ended ? Duration.ZERO : Duration.ofNanos(Math.max(0, reliableNanos()));
    }

    /** Whether the work has stopped, so that only its ending is to be told. */
    public boolean hasEnded() {
        return ended;
    }

    /** The work has stopped. */
    void end() {
        ended = true;
    }

    /** Whether it was told to stop and did not. */
    boolean isStuck() {
        return stuck && !ended;
    }

    void markStuck() {
        stuck = true;
    }

    /** Whether what the work has reported is sent apart from heartbeats, because it has ended. */
    void sendsFinalReport(boolean apart) {
        sendsFinalReport = apart;
    }

    void warnedAbout(WorkReport.Entered stage) {
        overBudget = stage;
    }

    /** Its next heartbeat should be sent soon. Returns false if that was known. */
    boolean hurry() {
        return hurried.compareAndSet(false, true);
    }

    @Override
    protected LeaseTerms terms() {
        return run.spec().terms();
    }

    @Override
    protected Duration renewEvery() {
        return terms().ttl().dividedBy(3);
    }

    // Also after its end: the lease has to live until the store knows how the run ended.
    @Override
    protected boolean needsRenewal() {
        return lost() == null;
    }

    @Override
    protected List<HeartbeatRequest> renewRequests() {
        hurried.set(false);
        // Two requests with stages beside each other could reach the store in the wrong order.
        return List.of(heartbeatRequest(sendsFinalReport ? WorkReport.Words.NONE : report.next()));
    }

    @Override
    protected boolean isConfirmedBy(List<HeartbeatAnswer> answers) {
        if (answers.get(0) instanceof HeartbeatAnswer.Lost loss) {
            activeRuns.heartbeatRefused(this, loss.cause());
            return false;
        }
        if (!ended && reliableNanos() <= 0) {
            // The answer came too late, and the work may have been told so on another thread.
            activeRuns.lose(this, LossCause.UNCONFIRMED);
            return false;
        }
        return true;
    }

    @Override
    protected void renewed(List<HeartbeatRequest> requests, List<HeartbeatAnswer> answers) {
        boolean more = report.told(
                new WorkReport.Words(requests.get(0).stage(), requests.get(0).progress()));
        if (more || hurried.get()) {
            activeRuns.heartbeatNow(this);
        } else if (report.hasProgress()) {
            activeRuns.heartbeatAtLeisure(this);
        }
        if (answers.get(0) instanceof HeartbeatAnswer.Beating beating) {
            beating.stopRequest().ifPresent(request -> activeRuns.stop(this, request));
        }
    }

    @Override
    protected boolean checkDeadlines() {
        if (ended) {
            return false;
        }
        if (lost() == null && reliableNanos() <= 0) {
            activeRuns.lose(this, LossCause.UNCONFIRMED);
        } else if (stop.since() == null && runtimeLeft() <= 0) {
            activeRuns.overdue(this);
        }
        if (!isStuck() && graceLeft() <= 0) {
            activeRuns.stuck(this);
            return false;
        }
        if (budgetLeft() <= 0) {
            activeRuns.overBudget(this);
        }
        return true;
    }

    @Override
    protected long nextDeadline() {
        long next = lost() == null ? reliableNanos() : NEVER;
        if (stop.since() == null) {
            next = Math.min(next, runtimeLeft());
        }
        return Math.min(next, Math.min(graceLeft(), budgetLeft()));
    }

    private long runtimeLeft() {
        return run.spec()
                .limits()
                .runtimeLimit()
                .map(limit -> LocalTime.capped(limit).toNanos() - age())
                .orElse(NEVER);
    }

    private long graceLeft() {
        Moment told = stop.since();
        return told == null ? NEVER : LocalTime.capped(job.grace()).toNanos() - time.elapsed(told);
    }

    private long budgetLeft() {
        return report.current()
                .filter(stage -> !stage.equals(overBudget))
                .flatMap(stage -> job.budget(stage.name())
                        .map(budget -> LocalTime.capped(budget).toNanos() - time.elapsed(stage.since())))
                .orElse(NEVER);
    }

    /** Keeps {@code subscription}, which brings wake-ups about requests to stop, until {@link #stopListening}. */
    void listen(ChangeFeed.Subscription subscription) {
        synchronized (this) {
            if (!listensNoMore) {
                wakeUps = subscription;
                return;
            }
        }
        subscription.close();
    }

    void stopListening() {
        ChangeFeed.Subscription over;
        synchronized (this) {
            listensNoMore = true;
            over = wakeUps;
            wakeUps = null;
        }
        if (over != null) {
            over.close();
        }
    }

    HeartbeatRequest heartbeatRequest(WorkReport.Words words) {
        return new HeartbeatRequest(run.id(), run.key(), lease.id(), lease.token(), words.stage(), words.progress());
    }

    OutputNote outputNote(String text) {
        return new OutputNote(run.id(), run.key(), lease.id(), lease.token(), text);
    }

    FinishRequest finishRequest(Ending ending, @Nullable ClaimRequest next) {
        return new FinishRequest(run.id(), run.key(), lease.id(), lease.token(), ending, next);
    }

    @Override
    public String toString() {
        return "run " + run.id() + " of job " + run.job() + " under " + run.key() + " with token " + lease.token();
    }
}
