package io.interlock.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.engine.EngineEvent.EngineListener;
import io.interlock.engine.WorkerEngine.WorkSource;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunSpec.Execution;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import io.interlock.time.ForwardingEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Engines on a machine that has no more threads to give. */
@Timeout(60)
class NoThreadTest {

    private static final Duration LEASE = Duration.ofSeconds(2);

    private volatile boolean exhausted;
    private volatile boolean passing;

    @Test
    void aListenerThatHangsHoldsUpNoStop() {
        FaultyStore faults = new FaultyStore(new MemoryStore(Environment.system()));
        CountDownLatch mayGo = new CountDownLatch(1);
        ConcurrentLinkedQueue<EngineEvent> heard = new ConcurrentLinkedQueue<>();
        EngineListener hanging = event -> {
            try {
                if (event instanceof EngineEvent.LeaseLost) {
                    mayGo.await();
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            heard.add(event);
        };
        try (RunEngine engine = RunEngine.builder(faults.store())
                .environment(new Machine())
                .drainTime(Duration.ZERO)
                .listener(hanging)
                .build()) {
            CallerRun first = begun(engine, "first");
            CallerRun second = begun(engine, "second");
            faults.down("heartbeat");
            try {
                await().until(() ->
                        first.stopping().isPresent() && second.stopping().isPresent());
            } finally {
                mayGo.countDown();
            }
            await().until(() -> heard.size() == 8);
            assertThat(heard.stream()
                            .filter(event -> event.key().equals(second.key()))
                            .map(event -> event.getClass().getSimpleName()))
                    .containsExactly("RunSubmitted", "RunStarted", "LeaseLost", "StopPassedOn");
            first.close();
            second.close();
        }
    }

    @Test
    void whoWaitsForAnEndIsNotForgottenIfItEndsElsewhere() {
        Simulation world = new Simulation(1);
        MemoryStore store = new MemoryStore(world.host());
        RunEngine engine = engine(world, store.anotherClient());
        CallerRun work = begun(engine(world, store.anotherClient()), "ledger");
        exhausted = true;
        CompletableFuture<Optional<Run>> end =
                engine.awaitEndAsync(work.run().id(), Duration.ofMinutes(5)).toCompletableFuture();
        exhausted = false;
        work.finish(new Ending.Succeeded(null));
        world.advance(Duration.ofSeconds(10));
        assertThat(end.getNow(Optional.empty()).map(Run::state)).contains(RunState.SUCCEEDED);
    }

    @Test
    void whoAsksForWorkIsAnsweredThoughNobodyCouldAsk() {
        Simulation world = new Simulation(1);
        RunEngine engine = engine(world, new MemoryStore(world.host()));
        RemoteWork.Claim claim = new RemoteWork.Claim(
                new UUID(7, 7), new Holder("far/1", "a worker far away"), null, Set.of(new JobName("load")), 1);
        exhausted = true;
        CompletableFuture<List<Claimed>> claimed =
                engine.remote().claim(claim, Duration.ofSeconds(20)).toCompletableFuture();
        world.advance(Duration.ofSeconds(30));
        assertThat(claimed).isCompletedExceptionally();
    }

    @Test
    void whoWaitsForWorkFindsItThoughNobodyCouldListen() {
        Simulation world = new Simulation(1);
        FaultyStore faults = new FaultyStore(new MemoryStore(world.host())).silent();
        RunEngine engine = engine(world, faults.store());
        RemoteWork.Claim claim = new RemoteWork.Claim(
                new UUID(7, 7), new Holder("far/1", "a worker far away"), null, Set.of(new JobName("load")), 1);
        faults.slowAnswers("claim", () -> {
            faults.up();
            // The next caller finds no thread; the ones after it do.
            passing = true;
            exhausted = true;
        });
        CompletableFuture<List<Claimed>> claimed =
                engine.remote().claim(claim, Duration.ofMinutes(5)).toCompletableFuture();
        assertThat(exhausted).as("a caller found no thread").isFalse();
        engine.submit(RunRequest.of(LockKey.of("acme", "ledger"), "load"));
        world.advance(Duration.ofSeconds(6));
        assertThat(claimed.getNow(List.of())).hasSize(1);
    }

    @Test
    void whoSubmitsIsAnsweredThoughListenersCouldNotBeTold() {
        Simulation world = new Simulation(1);
        Simulation.Host process = world.host();
        RunEngine engine = RunEngine.builder(new MemoryStore(world.host()))
                .environment(process)
                .listener(event -> {})
                .threads(tellingOn(process.threads(() -> Duration.ZERO), task -> {
                    throw noThread();
                }))
                .build();
        RemoteWork.Caller caller =
                new RemoteWork.Caller(LeaseId.random(process.random()), new Holder("far/1", "a caller far away"));
        CompletableFuture<Submission> elsewhere = engine.remote()
                .submit(RunRequest.of(LockKey.of("acme", "ledger"), "load"), caller)
                .toCompletableFuture();
        CompletableFuture<Submission> here = engine.submitAsync(
                        RunRequest.of(LockKey.of("acme", "books"), "load").execution(Execution.CALLER))
                .toCompletableFuture();
        world.advance(Duration.ofSeconds(1));
        assertThat(elsewhere).isCompletedExceptionally();
        assertThat(here).isCompletedExceptionally();
    }

    @Test
    void whoWaitsForATurnHasItThoughOneQuestionFoundNoThread() {
        Simulation world = new Simulation(1);
        MemoryStore store = new MemoryStore(world.host());
        Run run = engine(world, store)
                .submit(RunRequest.of(LockKey.of("acme", "ledger"), "load"))
                .orElseThrow();
        OverTurnSource turns = new OverTurnSource(run) {
            private int asked;

            @Override
            public CompletionStage<TurnAnswer> take(TurnRequest request) {
                if (asked++ == 0) {
                    throw noThread();
                }
                return super.take(request);
            }
        };
        assertTurnIsTaken(world, store, turns);
    }

    @Test
    void whoWaitsForATurnHasItThoughNothingCouldListen() {
        Simulation world = new Simulation(1);
        MemoryStore store = new MemoryStore(world.host());
        Run run = engine(world, store)
                .submit(RunRequest.of(LockKey.of("acme", "ledger"), "load"))
                .orElseThrow();
        assertTurnIsTaken(world, store, new OverTurnSource(run) {
            @Override
            public ChangeFeed.Subscription watch(TurnRequest request, Runnable look) {
                throw noThread();
            }
        });
    }

    private static void assertTurnIsTaken(Simulation world, RunStore store, OverTurnSource turns) {
        Simulation.Host process = world.host();
        CompletableFuture<CallerRun.CallerTurn.Outcome> turn = WorkerEngine.builder(WorkSource.of(store))
                .environment(process)
                .threads(process.threads(() -> Duration.ZERO))
                .build(turns)
                .turn(turns.run, LeaseId.random(process.random()))
                .takeAsync()
                .toCompletableFuture();
        world.advance(Duration.ofSeconds(10));
        assertThat(turn).isCompletedWithValue(new CallerRun.CallerTurn.Outcome.Over(turns.run));
    }

    @Test
    void aTurnThatCouldNotBeToldIsGivenBack() {
        Simulation world = new Simulation(1);
        MemoryStore store = new MemoryStore(world.host());
        CallerRun holder = begun(engine(world, store.anotherClient()), "ledger");
        Simulation.Host process = world.host();
        RunEngine engine = RunEngine.builder(store.anotherClient())
                .environment(process)
                .threads(tellingOn(process.threads(() -> Duration.ZERO), task -> {
                    if (exhausted) {
                        throw noThread();
                    }
                    task.run();
                }))
                .build();
        Submission.Queued queued = (Submission.Queued) engine.submit(RunRequest.of(holder.key(), "by-hand")
                .onConflict(ConflictPolicy.QUEUE)
                .execution(Execution.CALLER));
        CompletableFuture<CallerRun.CallerTurn.Outcome> turn =
                requireNonNull(queued.turn()).takeAsync().toCompletableFuture();
        exhausted = true;
        holder.finish(new Ending.Succeeded(null));
        world.advance(Duration.ofSeconds(10));
        assertThat(turn).isCompletedExceptionally();
        assertThat(engine.find(queued.orElseThrow().id()).map(Run::state)).contains(RunState.ABORTED);
    }

    /** A source of turns that answers that the run has ended. */
    private static class OverTurnSource implements CallerRun.TurnSource {

        private final Run run;

        OverTurnSource(Run run) {
            this.run = run;
        }

        @Override
        public CompletionStage<TurnAnswer> take(TurnRequest request) {
            return CompletableFuture.completedFuture(new TurnAnswer.Over(run));
        }

        @Override
        public ChangeFeed.Subscription watch(TurnRequest request, Runnable look) {
            look.run();
            return () -> {};
        }

        @Override
        public void cancel(CancelRequest request) {}

        @Override
        public String name() {
            return "turns";
        }
    }

    // Not the error the JVM throws: no test framework survives that one.
    private static InternalError noThread() {
        return new InternalError("unable to create native thread");
    }

    private RunEngine engine(Simulation world, RunStore store) {
        Simulation.Host process = world.host();
        EngineThreads threads = process.threads(() -> Duration.ZERO);
        return RunEngine.builder(store)
                .environment(process)
                .jobs(Jobs.of(Job.named("load").build()))
                .threads(new EngineThreads(
                        task -> {
                            if (exhausted) {
                                exhausted = !passing;
                                throw noThread();
                            }
                            task.run();
                        },
                        threads.heartbeats(),
                        threads.endings(),
                        threads.work(),
                        threads.callbacks(),
                        threads.closing()))
                .build();
    }

    private static EngineThreads tellingOn(EngineThreads threads, Executor callbacks) {
        return new EngineThreads(
                threads.calls(), threads.heartbeats(), threads.endings(), threads.work(), callbacks, threads.closing());
    }

    private static CallerRun begun(RunEngine engine, String key) {
        Submission answer = engine.submit(RunRequest.of(LockKey.of("acme", key), "by-hand")
                .execution(Execution.CALLER)
                .lease(LEASE));
        return requireNonNull(((Submission.Started) answer).work());
    }

    /** The real world, but for threads for callbacks, of which it has none. */
    private static final class Machine extends ForwardingEnvironment {

        Machine() {
            super(Environment.system());
        }

        @Override
        public ThreadFactory threads(String name) {
            ThreadFactory threads = super.threads(name);
            return name.equals("interlock-callback") ? task -> new Unborn() : threads;
        }
    }

    /** A thread the machine has no room for. */
    private static final class Unborn extends Thread {
        @Override
        public synchronized void start() {
            throw new OutOfMemoryError("unable to create native thread");
        }
    }
}
