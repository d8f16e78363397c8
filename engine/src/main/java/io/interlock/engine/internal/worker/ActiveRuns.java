package io.interlock.engine.internal.worker;

import io.interlock.DurationText;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.RunId;
import io.interlock.engine.EngineClosedException;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.Job;
import io.interlock.engine.WorkSource;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.runtime.EngineTimers;
import io.interlock.engine.internal.runtime.EventPublisher;
import io.interlock.run.Ending;
import io.interlock.run.Progress;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.StopRequest;
import io.interlock.time.Moment;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The runs this process has the leases of, from grant to end, and everything that may befall them meanwhile. */
public final class ActiveRuns implements HeldRun.Listener {

    static final String LEASE_LOST = "LEASE_LOST";
    static final String SHUTDOWN = "SHUTDOWN";
    static final String ENDED = "ENDED";
    public static final String ENGINE = "interlock";

    private static final Logger log = LoggerFactory.getLogger(ActiveRuns.class);

    private final WorkSource source;
    private final EngineThreads threads;
    private final EngineTimers timers;
    private final EventPublisher events;
    private final Heartbeats heartbeats;
    private final DeadlineWatch watch;
    private final WorkLog words;
    // By attempt, not by run: the next attempt may begin before it is heard that the one before has ended.
    private final Set<HeldRun> held = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private boolean closing;
    private volatile boolean shut;

    ActiveRuns(WorkSource source, EngineThreads threads, EngineTimers timers, EventPublisher events) {
        this.source = source;
        this.threads = threads;
        this.timers = timers;
        this.events = events;
        this.heartbeats = new Heartbeats(source.steps(), threads, timers, this);
        this.watch = new DeadlineWatch(timers, this, heartbeats::allSoon);
        this.words = new WorkLog(threads);
    }

    /**
     * Takes a grant in: from now on it has its heartbeats and is watched.
     *
     * @param before taken before the request was sent that brought the grant
     * @throws EngineClosedException if the engine was closed in the meantime, and nobody would keep it; it is given back
     */
    public HeldRun adopt(Run run, LeaseRecord lease, Job job, Moment before) {
        // A grant that was asked for again may have lost a part of its life already.
        Duration spent = run.spec().terms().ttl().minus(lease.remaining());
        Moment asked = spent.isNegative() ? before : before.minus(spent);
        HeldRun work = new HeldRun(run, job, lease, asked, new StopSignal(threads::tell));
        work.plan(heartbeats.entry(work), watch.entry(work));
        boolean late;
        synchronized (this) {
            late = shut;
            if (!late) {
                held.add(work);
            }
        }
        if (late) {
            giveBack(work);
            throw new EngineClosedException();
        }
        heartbeats.keep(work);
        watch.watch(work);
        listen(work);
        events.tell(new EngineEvent.RunStarted(run));
        run.status().stopRequest().ifPresent(stop -> stop(work, stop));
        log.debug("run {} of job {} has {} with token {}", run.id(), run.job(), run.key(), work.token());
        return work;
    }

    // Whoever wants it to stop may sit at another engine. The wish is in the answer to the next heartbeat, so that
    // comes soon.
    private void listen(HeldRun work) {
        threads.call(() -> source.stops().watch(work.key(), () -> heartbeats.soon(work)))
                .whenComplete((wakeUps, failure) -> {
                    if (wakeUps != null) {
                        work.hears(wakeUps);
                    } else {
                        log.debug(
                                "run {} hears of stops by its heartbeats only: {}",
                                work.run().id(),
                                failure);
                    }
                });
    }

    /** How long the lease of {@code work} may be relied upon unless a heartbeat is confirmed; zero once it is over. */
    public Duration remaining(HeldRun work) {
        return work.lost() != null || work.hasEnded()
                ? Duration.ZERO
                : Duration.ofNanos(Math.max(0, watch.reliable(work)));
    }

    /** The work has stopped; its heartbeats go on until the store knows how it ended. Whether that is news. */
    boolean ended(HeldRun work) {
        boolean news = work.end();
        watch.forget(work);
        return news;
    }

    /** Nothing is left to be done about it. Whether that is news. */
    boolean dismiss(HeldRun work) {
        work.deafen();
        heartbeats.forget(work);
        watch.forget(work);
        boolean news;
        boolean last;
        synchronized (this) {
            news = held.remove(work);
            last = closing && held.isEmpty();
        }
        if (last) {
            empty.complete(null);
        }
        return news;
    }

    /** Others have told the store how it ended: there is nothing left to do, to say, or to lose. */
    public void endedElsewhere(HeldRun work) {
        raise(work, stopRequest(ENDED, "its end was told by whoever was asked to do the work"));
        ended(work);
        dismiss(work);
    }

    /** Its handler has gone, but the work may go on elsewhere: its lease is left to end, or to whoever keeps it. */
    void leave(HeldRun work, String why) {
        ended(work);
        if (dismiss(work)) {
            log.warn(
                    "run {} of job {} under {} with token {} may go on elsewhere; its lease is left to end: {}",
                    work.run().id(),
                    work.run().job(),
                    work.key(),
                    work.token(),
                    why);
        }
    }

    /** Tells the work to stop. */
    @Override
    public void stop(HeldRun work, StopRequest stop) {
        if (raise(work, stop)) {
            words.stopping(work, stop);
            told(work, stop);
        }
    }

    private boolean raise(HeldRun work, StopRequest stop) {
        return !work.hasEnded() && work.stop().raise(stop, timers.time().now());
    }

    private void told(HeldRun work, StopRequest stop) {
        events.tell(new EngineEvent.StopPassedOn(work.run(), stop));
        watch.look(work);
    }

    @Override
    public void overdue(HeldRun work) {
        stop(work, stopRequest(RunError.MAX_RUNTIME, overdueMessage(work)));
    }

    @Override
    public void lose(HeldRun work, LossCause cause) {
        if (work.hasEnded()) {
            // The word of its end is on its way, and may be why the store no longer knows the lease.
            heartbeats.forget(work);
            return;
        }
        if (!work.lose(cause)) {
            return;
        }
        // First of all the work hears of it.
        StopRequest stop = stopRequest(LEASE_LOST, "the lease is lost: " + cause.explanation());
        boolean told = raise(work, stop);
        heartbeats.forget(work);
        words.lost(work, cause, told ? stop : null);
        events.tell(new EngineEvent.LeaseLost(work.run(), cause));
        if (told) {
            told(work, stop);
        }
    }

    @Override
    public void stuck(HeldRun work) {
        work.markStuck();
        // Not released: the work may still run. Its lease ends by itself.
        heartbeats.forget(work);
        watch.forget(work);
        work.stop().raised().ifPresent(stop -> {
            words.stuck(work);
            events.tell(new EngineEvent.WorkStuck(work.run(), stop));
        });
    }

    @Override
    public void overBudget(HeldRun work) {
        work.report().current().ifPresent(stage -> {
            work.warnedAbout(stage);
            work.job().budget(stage.name()).ifPresent(budget -> {
                words.overBudget(work, stage.name(), budget);
                events.tell(new EngineEvent.StageOverBudget(work.run(), stage.name(), budget));
            });
        });
    }

    /** The work enters a stage. */
    public void stage(HeldRun work, String stage) {
        Moment now = timers.time().now();
        WorkReport.Entered before = work.report().enter(stage, now);
        if (before != null && before.name().equals(stage)) {
            return;
        }
        Duration took = before == null ? null : Duration.ofNanos(timers.time().elapsed(before.since()));
        events.tell(new EngineEvent.StageEntered(work.run(), stage, before == null ? null : before.name(), took));
        heartbeats.soon(work);
        watch.look(work);
    }

    /** The work says how far it is. */
    public void progress(HeldRun work, Progress word) {
        if (work.report().progress(word)) {
            heartbeats.atLeisure(work);
        }
    }

    /** Its attempts: mostly one, for a moment two. */
    public Stream<HeldRun> of(RunId run) {
        return held.stream().filter(work -> work.run().id().equals(run));
    }

    /** Sends the next heartbeat of the run under {@code key} soon, if it is held here: there is something to hear. */
    public void hurry(LockKey key) {
        held.stream().filter(work -> work.key().equals(key)).findFirst().ifPresent(heartbeats::soon);
    }

    /** Whether {@code thread} does work of this process that may still go on. */
    public boolean isAtWork(Thread thread) {
        return !shut && held.stream().anyMatch(work -> work.stop().isWorker(thread));
    }

    Collection<HeldRun> all() {
        return List.copyOf(held);
    }

    /** Done when {@link #close} was called and nothing is left. */
    CompletableFuture<Void> empty() {
        return empty;
    }

    void close() {
        boolean last;
        synchronized (this) {
            closing = true;
            last = held.isEmpty();
        }
        if (last) {
            empty.complete(null);
        }
    }

    /** Sends no heartbeat any more. */
    void stopHeartbeats() {
        heartbeats.close();
    }

    /** Takes in nothing any more, also of calls still under way, and says what is left. */
    synchronized Collection<HeldRun> shut() {
        shut = true;
        return List.copyOf(held);
    }

    private void giveBack(HeldRun work) {
        RunError error = new RunError(SHUTDOWN, "the engine was closed before its work began");
        try {
            source.steps().finish(List.of(work.finishRequest(new Ending.Failed(error, true, Duration.ZERO))));
        } catch (RuntimeException failure) {
            log.warn(
                    "run {} could not be given back; its lease is left to end: {}",
                    work.run().id(),
                    failure.toString());
        }
    }

    StopRequest stopRequest(String code, String reason) {
        return new StopRequest(
                code, ENGINE, reason, timers.environment().clock().instant());
    }

    static String overdueMessage(HeldRun work) {
        String limit = work.run()
                .spec()
                .limits()
                .runtimeLimit()
                .map(DurationText::format)
                .orElse("");
        return "run " + work.run().id() + " under " + work.key() + " took longer than its max runtime of " + limit
                + work.report().where();
    }
}
