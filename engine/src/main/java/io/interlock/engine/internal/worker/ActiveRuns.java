package io.interlock.engine.internal.worker;

import io.interlock.DurationText;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.RunId;
import io.interlock.engine.EngineClosedException;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.Job;
import io.interlock.engine.WorkerEngine.WorkSource;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.runtime.EngineThreads.EngineTimers;
import io.interlock.engine.internal.worker.HeldRun.StopSignal;
import io.interlock.locks.runtime.HeldSet;
import io.interlock.locks.runtime.LeaseRuntime;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runs this process has the leases of, from grant to end. Tells their work to stop, and listeners what happens to them. Logs on other
 * threads than those that watch deadlines: a log may block, and other work must be told to stop meanwhile. Safe for use by many threads.
 */
public final class ActiveRuns {

    static final String LEASE_LOST = "LEASE_LOST";
    static final String SHUTDOWN = "SHUTDOWN";
    static final String ENDED = "ENDED";
    public static final String ENGINE = "interlock";

    private static final Logger log = LoggerFactory.getLogger(ActiveRuns.class);
    private static final Duration SOON = Duration.ofMillis(100);
    private static final Duration AT_LEISURE = Duration.ofSeconds(1);

    private final WorkSource source;
    private final EngineThreads threads;
    private final EngineTimers timers;
    private final EngineEvents events;
    private final LeaseRuntime<HeartbeatRequest, HeartbeatAnswer> leases;
    // By attempt, not by run: the next attempt may begin before the end of the one before is known here.
    private final HeldSet<HeldRun> held = new HeldSet<>();

    ActiveRuns(WorkSource source, EngineThreads threads, EngineTimers timers, EngineEvents events) {
        this.source = source;
        this.threads = threads;
        this.timers = timers;
        this.events = events;
        this.leases = new LeaseRuntime<>(
                source.steps()::heartbeat,
                timers.environment(),
                timers.heartbeats(),
                timers.deadlines(),
                threads.heartbeats());
    }

    /**
     * Takes a grant in: from now on its heartbeats are sent and its deadlines watched.
     *
     * @param before taken before the request was sent that brought the grant
     * @throws EngineClosedException if the engine was closed in the meantime, so that no heartbeat would be sent; it is given back
     */
    public HeldRun adopt(Run run, LeaseRecord lease, Job job, Moment before) {
        // A grant that was asked for again may have lost a part of its life already.
        Duration spent = run.spec().terms().ttl().minus(lease.remaining());
        Moment asked = spent.isNegative() ? before : before.minus(spent);
        HeldRun work = new HeldRun(this, timers.time(), run, job, lease, asked, new StopSignal(threads::tell));
        leases.plan(work);
        if (!held.add(work)) {
            giveBack(work);
            throw new EngineClosedException();
        }
        leases.keep(work);
        listen(work);
        events.tell(new EngineEvent.RunStarted(run));
        run.status().stopRequest().ifPresent(stop -> stop(work, stop));
        log.debug("{} is held here", work);
        return work;
    }

    // A request to stop may be made at another engine. It is in the answer to the next heartbeat, which is therefore
    // sent soon.
    private void listen(HeldRun work) {
        CompletionStage<ChangeFeed.Subscription> listening =
                threads.call(() -> source.stops().watch(work.key(), () -> heartbeatSoon(work)));
        listening.thenAcceptBoth(work.dismissed(), (subscription, dismissed) -> subscription.close());
        listening.whenComplete((subscription, failure) -> {
            if (failure == null) {
                // A request from before this brought no wake-up.
                heartbeatAtLeisure(work);
            } else {
                log.debug("no wake-ups for {}, only heartbeats: {}", work, failure.toString());
            }
        });
    }

    /** The work has stopped; its heartbeats go on until the store knows how it ended. */
    void ended(HeldRun work) {
        work.end();
        leases.stopWatching(work);
    }

    /** Nothing is left to do for it. Returns false if that was known. */
    boolean dismiss(HeldRun work) {
        work.dismissed().complete(null);
        leases.forget(work);
        return held.remove(work);
    }

    /** Another process has told the store how it ended: nothing is left to do, to say, or to lose. */
    public void endedElsewhere(HeldRun work) {
        raise(work, stopRequest(ENDED, "its end was reported by the process that was asked to do the work"));
        ended(work);
        dismiss(work);
    }

    /** Its handler has returned, but the work may go on in another process, so its lease is not released. */
    void leave(HeldRun work, String why) {
        ended(work);
        if (dismiss(work)) {
            log.warn("{} may go on elsewhere; its lease is left to expire: {}", work, why);
        }
    }

    public void stop(HeldRun work, StopRequest stop) {
        if (raise(work, stop)) {
            logStop(work, stop);
            told(work, stop);
        }
    }

    private boolean raise(HeldRun work, StopRequest stop) {
        return !work.hasEnded() && work.stop().raise(stop, timers.time().now());
    }

    private void told(HeldRun work, StopRequest stop) {
        events.tell(new EngineEvent.StopPassedOn(work.run(), stop));
        leases.watchAnew(work);
    }

    /** The max runtime of {@code work} is over. */
    void overdue(HeldRun work) {
        stop(work, stopRequest(RunError.MAX_RUNTIME, overdueMessage(work)));
    }

    /** The store does not extend the lease of {@code work}. */
    void heartbeatRefused(HeldRun work, LossCause cause) {
        if (cause == LossCause.OVERDUE) {
            // Its lease lives on until it ends, so that the work can stop and report that.
            leases.stopRenewing(work);
            overdue(work);
        } else {
            lose(work, cause);
        }
    }

    /** The lease of {@code work} no longer counts. */
    void lose(HeldRun work, LossCause cause) {
        if (work.hasEnded()) {
            // Its ending is on its way, and may be why the store no longer knows the lease.
            leases.stopRenewing(work);
            return;
        }
        if (!work.markLost(cause)) {
            return;
        }
        // The work comes first.
        StopRequest stop = stopRequest(LEASE_LOST, "the lease is lost: " + cause.explanation());
        boolean told = raise(work, stop);
        leases.stopRenewing(work);
        String where = work.report().where();
        threads.tell(() -> log.warn("the lease of {} is lost{}: {}", work, where, cause.explanation()));
        events.tell(new EngineEvent.LeaseLost(work.run(), cause));
        if (told) {
            logStop(work, stop);
            told(work, stop);
        }
    }

    /** The work was told to stop and did not within its grace. */
    void stuck(HeldRun work) {
        work.markStuck();
        // Not released: the work may still run. Its lease ends by itself.
        leases.forget(work);
        work.stop().raised().ifPresent(stop -> {
            String where = work.report().where();
            String grace = DurationText.format(work.job().grace());
            threads.tell(() -> log.error(
                    "{} was told to stop and did not within {}; its lease is left to expire{}", work, grace, where));
            events.tell(new EngineEvent.WorkStuck(work.run(), stop));
        });
    }

    /** A stage takes longer than it may. */
    void overBudget(HeldRun work) {
        work.report().current().ifPresent(stage -> {
            work.warnedAbout(stage);
            work.job().budget(stage.name()).ifPresent(budget -> {
                threads.tell(() -> log.warn(
                        "{} takes longer than {} for stage {}", work, DurationText.format(budget), stage.name()));
                events.tell(new EngineEvent.StageOverBudget(work.run(), stage.name(), budget));
            });
        });
    }

    public void stage(HeldRun work, String stage) {
        Moment now = timers.time().now();
        WorkReport.Entered before = work.report().enter(stage, now);
        if (before != null && before.name().equals(stage)) {
            return;
        }
        Duration took = before == null ? null : Duration.ofNanos(timers.time().elapsed(before.since()));
        events.tell(new EngineEvent.StageEntered(work.run(), stage, before == null ? null : before.name(), took));
        heartbeatSoon(work);
        leases.watchAnew(work);
    }

    public void progress(HeldRun work, Progress word) {
        if (work.report().progress(word)) {
            heartbeatAtLeisure(work);
        }
    }

    /** Sends the next heartbeat soon: there is something to report, or to learn. */
    private void heartbeatSoon(HeldRun work) {
        if (work.hurry()) {
            heartbeatNow(work);
        }
    }

    /** Sends the next heartbeat a moment later, so that what is said at once is told in one call. */
    void heartbeatNow(HeldRun work) {
        leases.renewAfter(work, SOON);
    }

    /** Sends the next heartbeat within a second: there is something to tell that is said again and again. */
    void heartbeatAtLeisure(HeldRun work) {
        leases.renewWithin(work, AT_LEISURE);
    }

    /** Its attempts: mostly one, for a moment two. */
    public Stream<HeldRun> of(RunId run) {
        return held.stream().filter(work -> work.run().id().equals(run));
    }

    /** Sends the next heartbeat of the run under {@code key} soon, if it is held here: its answer brings something new. */
    public void hurry(LockKey key) {
        held.stream().filter(work -> work.key().equals(key)).findFirst().ifPresent(this::heartbeatSoon);
    }

    /** Whether {@code thread} does work of this process that may still go on. */
    public boolean isAtWork(Thread thread) {
        return !held.isShut() && held.stream().anyMatch(work -> work.stop().isWorker(thread));
    }

    /**
     * Waits for the work under way to end by itself, then tells what is left to stop and waits for its grace. What still runs then loses
     * its lease here, which is not released.
     *
     * @return whether the wait was not interrupted; an interrupt ends the waiting, not the closing
     */
    boolean drain(Duration drainTime) {
        held.close();
        boolean waited = held.drain(drainTime, timers.deadlines());
        Duration grace = Duration.ZERO;
        for (HeldRun work : held.stream().toList()) {
            stop(work, stopRequest(SHUTDOWN, "its worker was shut down"));
            grace = work.job().grace().compareTo(grace) > 0 ? work.job().grace() : grace;
        }
        waited = waited && held.drain(grace, timers.deadlines());
        for (HeldRun work : held.shut()) {
            log.warn("{} still runs after its drain time and grace; its lease is left to expire", work);
            lose(work, LossCause.CLOSED);
        }
        return waited;
    }

    void stopHeartbeats() {
        leases.close();
    }

    private void giveBack(HeldRun work) {
        RunError error = new RunError(SHUTDOWN, "the engine was closed before its work began");
        try {
            source.steps().finish(List.of(work.finishRequest(new Ending.Failed(error, true, Duration.ZERO), null)));
        } catch (RuntimeException failure) {
            log.warn("{} could not be given back; its lease is left to expire: {}", work, failure.toString());
        }
    }

    private void logStop(HeldRun work, StopRequest stop) {
        threads.tell(() -> log.info("{} is told to stop: {}", work, stop.reason()));
    }

    private StopRequest stopRequest(String code, String reason) {
        return new StopRequest(
                code, ENGINE, reason, timers.environment().clock().instant());
    }

    private static String overdueMessage(HeldRun work) {
        RunLimits limits = work.run().spec().limits();
        String limit = limits.runtimeLimit().map(DurationText::format).orElse("");
        return "run " + work.run().id() + " under " + work.key() + " took longer than its max runtime of " + limit
                + work.report().where();
    }
}
