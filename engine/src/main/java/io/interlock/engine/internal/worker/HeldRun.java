package io.interlock.engine.internal.worker;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.engine.Job;
import io.interlock.engine.WorkContext;
import io.interlock.engine.WorkContext.RunStoppedException;
import io.interlock.locks.runtime.HeldLease;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import io.interlock.spi.run.WorkSteps.OutputNote;
import io.interlock.time.Environment.Timers.Scheduled;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
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
    private final CompletableFuture<Void> dismissed = new CompletableFuture<>();

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
        Duration limit = run.spec().limits().maxRuntime();
        return limit == null ? NEVER : LocalTime.capped(limit).toNanos() - age();
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

    /** Done once nothing is left to do for it. */
    CompletableFuture<Void> dismissed() {
        return dismissed;
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

    /** What work sees of the run it holds. Safe for use by many threads. */
    public abstract static class HeldRunContext implements WorkContext {

        protected final ActiveRuns activeRuns;
        protected final HeldRun held;

        protected HeldRunContext(ActiveRuns activeRuns, HeldRun held) {
            this.activeRuns = activeRuns;
            this.held = held;
        }

        @Override
        public final Run run() {
            return held.run();
        }

        @Override
        public final FencingToken token() {
            return held.token();
        }

        @Override
        public final Duration remaining() {
            return held.remaining();
        }

        @Override
        public final void stage(String name) {
            activeRuns.stage(held, name);
        }

        @Override
        public final void checkpoint() {
            stopping().ifPresent(stop -> {
                throw new RunStoppedException(stop);
            });
        }

        @Override
        public final Optional<StopRequest> stopping() {
            return held.stop().raised();
        }

        @Override
        public final Scheduled onStop(Runnable task) {
            return held.stop().onStop(task);
        }
    }

    /** Tells work to stop, once: the first reason counts. Safe for use by many threads. */
    public static final class StopSignal {

        private final Executor callbacks;
        private volatile @Nullable StopRequest stop;
        private volatile @Nullable Moment since;
        private List<Runnable> tasks = new ArrayList<>();
        private @Nullable Thread worker;
        private boolean interruptedByUs;

        /** A signal that runs on {@code callbacks} what others want to do when it is raised. */
        StopSignal(Executor callbacks) {
            this.callbacks = callbacks;
        }

        public Optional<StopRequest> raised() {
            return Optional.ofNullable(stop);
        }

        /** Since when the work should have stopped, or {@code null} if it may go on. */
        @Nullable
        Moment since() {
            return since;
        }

        /** Tells the work, unless it was told before: whether this was the first time. */
        boolean raise(StopRequest request, Moment now) {
            List<Runnable> waiting;
            synchronized (this) {
                if (stop != null) {
                    return false;
                }
                since = now;
                stop = request;
                waiting = tasks;
                tasks = new ArrayList<>();
                interrupt();
            }
            waiting.forEach(callbacks::execute);
            return true;
        }

        /** Runs {@code task} when the signal is raised, or at once if it is, unless what this returns is cancelled before. */
        public Scheduled onStop(Runnable task) {
            synchronized (this) {
                if (stop == null) {
                    tasks.add(task);
                    return () -> forget(task);
                }
            }
            callbacks.execute(task);
            return () -> {};
        }

        private synchronized void forget(Runnable task) {
            tasks.remove(task);
        }

        /** The current thread works from now on, and is to be interrupted. */
        synchronized void begin() {
            worker = Thread.currentThread();
            if (stop != null) {
                interrupt();
            }
        }

        /** Whether {@code thread} works under this signal now. */
        synchronized boolean isWorker(Thread thread) {
            return thread.equals(worker);
        }

        /** The current thread no longer works; an interrupt of ours is taken back. */
        synchronized void end() {
            worker = null;
            if (interruptedByUs) {
                Thread.interrupted();
            }
        }

        private void interrupt() {
            if (worker != null) {
                interruptedByUs = true;
                worker.interrupt();
            }
        }
    }
}
