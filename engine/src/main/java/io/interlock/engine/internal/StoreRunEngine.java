package io.interlock.engine.internal;

import io.interlock.Actor;
import io.interlock.FencingToken;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.StoreCapabilities;
import io.interlock.batch.Coalescer;
import io.interlock.engine.CallerRun.TurnSource;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.EngineQueries;
import io.interlock.engine.Janitor;
import io.interlock.engine.Jobs;
import io.interlock.engine.RemoteLeases;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.WorkerEngine;
import io.interlock.engine.audit.AuditSealer;
import io.interlock.engine.audit.EndingsByRule;
import io.interlock.engine.internal.remote.RemoteLeaseSteps;
import io.interlock.engine.internal.remote.RemoteSteps;
import io.interlock.engine.internal.remote.RemoteSteps.RemoteWorkers;
import io.interlock.engine.internal.runtime.Batches;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.runtime.EngineThreads.EngineTimers;
import io.interlock.engine.internal.submit.CallerTurns;
import io.interlock.engine.internal.submit.Cancels;
import io.interlock.engine.internal.submit.OpenRunLimit;
import io.interlock.engine.internal.submit.SubmitAttempts;
import io.interlock.engine.internal.submit.Submitter;
import io.interlock.engine.internal.sweep.OrphanNodeSweep;
import io.interlock.engine.internal.sweep.SweepingJanitor;
import io.interlock.engine.internal.sweep.SweepingJanitor.Sweep;
import io.interlock.engine.internal.wait.LongPolls;
import io.interlock.engine.internal.wait.WaitScheduler;
import io.interlock.engine.internal.worker.ActiveRuns;
import io.interlock.engine.internal.worker.WorkerAssembly;
import io.interlock.engine.schedule.Schedules.ScheduledJob;
import io.interlock.locks.runtime.Futures;
import io.interlock.log.AsideLog;
import io.interlock.run.Attempt;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.AuditRecord;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.DeadLetter.DiscardAnswer;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.Pause;
import io.interlock.run.Resource;
import io.interlock.run.Resource.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.Run.MoveAnswer;
import io.interlock.run.RunQuery;
import io.interlock.run.RunQuery.RunPage;
import io.interlock.run.Wait;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.DiscardRequest;
import io.interlock.spi.run.RunSteps.MoveRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.RedriveRequest;
import io.interlock.spi.run.RunSteps.ResourceRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@link RunEngine} on a store. */
public final class StoreRunEngine implements RunEngine {

    private static final Logger log = LoggerFactory.getLogger(StoreRunEngine.class);

    private final EngineSettings settings;
    private final RunStore store;
    private final WorkerAssembly work;
    private final EngineEvents events;
    private final WaitScheduler.EngineLifecycle lifecycle;
    private final Cancels cancels;
    private final WaitScheduler waits;
    private final LongPolls<RunId, Optional<Run>> ends;
    private final BackgroundServices background;
    private final SweepingJanitor janitor;
    private final Submitter submitter;
    private final RemoteSteps remote;
    private final RemoteLeaseSteps leases;
    private final DeadLetterBox letters = new StoreDeadLetters();
    private final EngineQueries queries;

    private StoreRunEngine(EngineSettings settings) {
        this.settings = settings;
        this.store = settings.store();
        this.work = WorkerAssembly.of(settings.work());
        this.events = work.events();

        EngineThreads threads = work.threads();
        EngineTimers timers = work.timers();
        ActiveRuns activeRuns = work.activeRuns();
        this.lifecycle = new WaitScheduler.EngineLifecycle(activeRuns);
        Batches.Runs batches = Batches.Runs.of(store, threads, work.batches());

        this.waits =
                new WaitScheduler(lifecycle, threads, timers, settings.work().pollEvery());
        ChangeFeed changes = settings.work().source().stops();
        this.ends = LongPolls.shared(
                waits,
                StoreRunEngine::isOver,
                (id, run, look) -> changes.watch(run.orElseThrow().key(), look));
        events.onEnd(run -> {
            if (run.state().isTerminal()) {
                ends.answer(run.id(), Optional.of(run));
            }
        });
        CallerTurns turns = new CallerTurns(
                settings.work(), waits, new StoreTurns(store, batches.turns()), activeRuns, work.finisher());

        this.cancels = new Cancels(store.runs(), settings.work().holder(), activeRuns, events);
        OrphanNodeSweep nodes = new OrphanNodeSweep(
                store.queries(), store.views(), settings.work().jobs(), threads, cancels);
        events.onEnd(nodes::over);
        this.janitor = new SweepingJanitor(
                timers,
                settings.sweepEvery(),
                events,
                List.of(
                        Sweep.runs(store.upkeep()),
                        new Sweep("nodes", done -> done.addAll(nodes.runOnce())),
                        Sweep.leases(store),
                        Sweep.history(store.upkeep(), settings.background().retention())));

        AuditSealer sealer = new AuditSealer(
                store.audit(),
                new EndingsByRule(
                        store.queries(),
                        new AsideLog(settings.work().environment()),
                        (run, record, attempt) -> events.tell(new EngineEvent.EndedByRule(run, record, attempt))));
        this.background = new BackgroundServices(settings, timers, events, sealer, work.workers());
        OpenRunLimit limit = new OpenRunLimit(threads, timers.time(), lifecycle, store.views(), settings.maxOpen());
        SubmitAttempts attempts = new SubmitAttempts(waits, batches.submits(), cancels);
        this.submitter = new Submitter(settings, limit, attempts, activeRuns, turns, background::count, events);

        RemoteWorkers remoteWorkers =
                settings.background().kept() ? new RemoteWorkers(store.notes(), threads, timers) : null;
        this.remote = new RemoteSteps(
                store.work(), changes, waits, batches, submitter, work.finisher(), events, remoteWorkers);
        this.leases = new RemoteLeaseSteps(store, waits, batches, events);
        this.queries = new EngineQueries(
                store,
                sealer,
                settings.background().retention(),
                settings.background().auditKey());
    }

    public static RunEngine open(EngineSettings settings) {
        StoreRunEngine engine = new StoreRunEngine(settings);
        try {
            // Nothing starts before the maintenance windows are looked at.
            engine.background.startWindows(engine::pause);
            engine.work.workers().start();
            engine.janitor.start();
            engine.background.start(engine.submitter);
        } catch (RuntimeException | Error failure) {
            // The caller gets no engine, so it could not end what has begun.
            engine.close();
            throw failure;
        }
        return engine;
    }

    @Override
    public Submission submit(RunRequest request) {
        return submitter.submit(request);
    }

    @Override
    public CompletionStage<Submission> submitAsync(RunRequest request) {
        return submitter.submitAsync(request);
    }

    @Override
    public CancelAnswer cancel(RunId run, Actor actor, String reason) {
        return cancels.cancel(run, actor, reason);
    }

    @Override
    public MoveAnswer moveToFront(RunId run, Actor actor, String reason) {
        return store.runs().moveToFront(new MoveRequest(run, actor, reason));
    }

    @Override
    public EvictAnswer evict(LockKey key, FencingToken expected, Actor actor, String reason) {
        EvictAnswer answer = store.evict(new EvictRequest(key, expected, actor, reason));
        if (answer instanceof EvictAnswer.Evicted evicted) {
            log.warn(
                    "{} evicted {} from {} (token {}): {}",
                    actor,
                    evicted.victim().holder().label(),
                    key,
                    expected,
                    reason);
            events.tell(new EngineEvent.Evicted(key, evicted, actor.name(), reason));
            // If the victim is held here, its next heartbeat comes at once and brings the loss.
            work.activeRuns().hurry(key);
        }
        return answer;
    }

    @Override
    public Pause pause(String tenant, String pattern, Actor actor, String reason, @Nullable Duration time) {
        return pause(new PauseRequest(tenant, pattern, actor, reason, time));
    }

    private Pause pause(PauseRequest request) {
        Pause pause = store.runs().pause(request);
        log.warn("{} paused {} of {}: {}", request.actor(), request.pattern(), request.tenant(), request.reason());
        events.tell(new EngineEvent.Paused(LockKey.of(request.tenant(), request.pattern()), pause));
        return pause;
    }

    @Override
    public boolean resume(String tenant, String pattern, Actor actor, String reason) {
        boolean resumed = store.runs().resume(new ResumeRequest(tenant, pattern, actor, reason));
        if (resumed) {
            log.info("{} resumed {} of {}: {}", actor, pattern, tenant, reason);
            events.tell(new EngineEvent.Resumed(LockKey.of(tenant, pattern), actor.name(), reason));
            events.workAppeared();
        }
        return resumed;
    }

    @Override
    public List<ScheduledJob> schedules() {
        return settings.background().schedules();
    }

    @Override
    public Optional<Run> find(RunId run) {
        return store.queries().findRun(run);
    }

    @Override
    public RunPage list(RunQuery query) {
        return store.queries().listRuns(query);
    }

    @Override
    public List<Run> queue(LockKey key) {
        return store.queries().queue(key);
    }

    @Override
    public Optional<Wait> explain(RunId run) {
        return store.queries().explain(run);
    }

    @Override
    public List<Attempt> attempts(RunId run) {
        return store.queries().attempts(run);
    }

    @Override
    public Optional<Resource> resource(LockKey key) {
        return store.queries().resource(key);
    }

    @Override
    public ResourceAnswer setResource(
            LockKey key, String kind, String state, long expectedVersion, Actor actor, String reason) {
        return store.runs().setResource(new ResourceRequest(key, kind, state, expectedVersion, actor, reason, false));
    }

    @Override
    public ResourceAnswer setFreeResource(
            LockKey key, String kind, String state, long expectedVersion, Actor actor, String reason) {
        return store.runs().setResource(new ResourceRequest(key, kind, state, expectedVersion, actor, reason, true));
    }

    @Override
    public List<AuditRecord> audit(LockKey key) {
        return store.audit().records(key);
    }

    @Override
    public Optional<Run> awaitEnd(RunId run, Duration maxWait) throws InterruptedException {
        CompletableFuture<Optional<Run>> result = end(run, maxWait, lifecycle.isAtWork());
        try {
            return result.get();
        } catch (ExecutionException failure) {
            throw Futures.unchecked(failure);
        } finally {
            result.cancel(false);
        }
    }

    @Override
    public CompletionStage<Optional<Run>> awaitEndAsync(RunId run, Duration maxWait) {
        return end(run, maxWait, false);
    }

    private CompletableFuture<Optional<Run>> end(RunId run, Duration maxWait, boolean atWork) {
        lifecycle.requireOpen();
        return ends.within(
                run, maxWait, atWork, () -> waits.call(() -> store.queries().findRun(run)));
    }

    private static boolean isOver(Optional<Run> run) {
        return run.isEmpty() || run.get().state().isTerminal();
    }

    @Override
    public RunEngine.DeadLetterBox deadLetters() {
        return letters;
    }

    @Override
    public EngineQueries queries() {
        return queries;
    }

    @Override
    public RemoteWork remote() {
        return remote;
    }

    @Override
    public RemoteLeases leases() {
        return leases;
    }

    @Override
    public WorkerEngine.Status workers() {
        return work.workers().status();
    }

    @Override
    public Janitor janitor() {
        return janitor;
    }

    @Override
    public long missedEvents() {
        return events.missed();
    }

    @Override
    public Jobs jobs() {
        return settings.work().jobs();
    }

    @Override
    public StoreCapabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public void close() {
        if (lifecycle.close()) {
            work.drain(this::endWaits, this::end);
        }
    }

    /** Ends waits, but for those of work under way, and sweeps no more. */
    private void endWaits() {
        janitor.close();
        waits.close();
    }

    private void end() {
        janitor.close();
        background.close();
        waits.end();
        work.close();
        if (settings.closesStore()) {
            store.close();
        }
    }

    /** The turns a store gives. */
    private record StoreTurns(RunStore store, Coalescer<TurnRequest, TurnAnswer> turns) implements TurnSource {

        @Override
        public CompletionStage<TurnAnswer> take(TurnRequest request) {
            return turns.submit(request);
        }

        @Override
        public ChangeFeed.Subscription watch(TurnRequest request, Runnable look) {
            return store.changes().watch(request.key(), look);
        }

        @Override
        public void cancel(CancelRequest request) {
            store.runs().cancel(request);
        }

        @Override
        public String name() {
            return store.capabilities().store();
        }
    }

    /** The dead letters of a store. */
    private final class StoreDeadLetters implements DeadLetterBox {

        @Override
        public List<DeadLetter> list(DeadLetterQuery query) {
            return store.queries().deadLetters(query);
        }

        @Override
        public RedriveAnswer redrive(RunId dead, Actor actor, String reason) {
            lifecycle.requireOpen();
            Environment environment = settings.work().environment();
            RunId anew = RunId.create(environment.clock(), environment.random());
            RedriveAnswer answer = store.runs().redrive(new RedriveRequest(dead, anew, actor, reason));
            if (answer instanceof RedriveAnswer.Redriven redriven) {
                log.info("{} redrove run {} as run {}: {}", actor, dead, anew, reason);
                events.tell(new EngineEvent.RunSubmitted(redriven.run()));
                events.workAppeared();
            }
            return answer;
        }

        @Override
        public DiscardAnswer discard(RunId dead, Actor actor, String reason) {
            DiscardAnswer answer = store.runs().discard(new DiscardRequest(dead, actor, reason));
            if (answer instanceof DiscardAnswer.Settled) {
                log.info("{} discarded run {}: {}", actor, dead, reason);
            }
            return answer;
        }
    }
}
