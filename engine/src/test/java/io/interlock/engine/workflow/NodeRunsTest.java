package io.interlock.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.FaultyStore;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunHandler;
import io.interlock.engine.RunRequest;
import io.interlock.engine.TransientFailureException;
import io.interlock.engine.UnknownJobException;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.spi.run.RunStore;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which nodes an attempt of an execution does, and what becomes of them when it ends. */
@Timeout(60)
class NodeRunsTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final RetryPlan THRICE = new RetryPlan(3, Duration.ofMillis(1), 1, Duration.ofMillis(1));
    private static final List<String> BOTH = List.of("x", "y");

    private final MemoryStore memory = new MemoryStore(Environment.system());
    private final FaultyStore faults = new FaultyStore(memory.anotherClient());
    private final List<RunEngine> open = new ArrayList<>();
    private final List<String> done = new CopyOnWriteArrayList<>();
    private final CountDownLatch mayGo = new CountDownLatch(1);

    @AfterEach
    void close() {
        mayGo.countDown();
        faults.up();
        open.forEach(RunEngine::close);
    }

    @Test
    void noFurtherAttemptDoesAgainWhatHasSucceeded() throws Exception {
        RunEngine engine = engine(SOON, flow(THRICE), node("x", failing(1)), node("y", failing(2)));
        Run end = engine.awaitEnd(submit(engine).id(), SOON).orElseThrow();
        assertThat(end.state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(done).containsExactlyInAnyOrder("x 1", "y 1", "x 2", "y 2", "y 3");
    }

    @Test
    void anAttemptThatLostItsLeaseLeavesItsNodesToTheNextOne() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicInteger times = new AtomicInteger();
        RunEngine engine = engine(SOON, remote("flow"), node("x", run -> {
            if (times.incrementAndGet() == 1) {
                throw new PermanentFailureException("X", "not yet");
            }
            begun.countDown();
            mayGo.await();
            return null;
        }));
        NodeRuns nodes = new NodeRuns(List.of("x"), () -> engine);
        Run execution = submit(engine);
        assertThatThrownBy(() -> nodes.run(new AttemptByHand(execution, 1)))
                .isInstanceOf(TransientFailureException.class);
        AttemptByHand lost = new AttemptByHand(execution, 2);
        CompletableFuture<String> second = lost.begin(nodes);
        begun.await();
        lost.stop("LEASE_LOST");
        assertThatThrownBy(second::get).hasCauseInstanceOf(InterruptedException.class);
        CompletableFuture<String> third = new AttemptByHand(execution, 3).begin(nodes);
        mayGo.countDown();
        assertThat(third.get()).contains(newest(engine, execution, "x").id().toString());
        assertThat(times).hasValue(2);
    }

    @Test
    void anAttemptThatIsCancelledStopsEachOfItsNodesThoughOneCannotBeReached() throws Exception {
        RunEngine engine = engine(SOON, remote("flow"), remote("x"), remote("y"));
        Run execution = submit(engine);
        AtomicInteger cancels = new AtomicInteger();
        faults.slowAnswers("cancel", () -> lostIf(cancels.incrementAndGet() == 1));
        AttemptByHand cancelled = new AttemptByHand(execution, 1);
        CompletableFuture<String> attempt = cancelled.begin(new NodeRuns(BOTH, () -> engine));
        awaitWaiting();
        cancelled.stop(RunError.CANCELLED);
        assertThatThrownBy(attempt::get)
                .as("what went wrong first is told")
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(newest(engine, execution, "x").state()).isEqualTo(RunState.ABORTED);
        assertThat(newest(engine, execution, "y").state()).isEqualTo(RunState.ABORTED);
    }

    @Test
    void anAttemptWhoseLeaseWasTakenByForceStopsItsNodes() {
        RunEngine engine = engine(SOON, remote("flow"), remote("x"), remote("y"));
        Run execution = submit(engine);
        AttemptByHand evicted = new AttemptByHand(execution, 1);
        CompletableFuture<String> attempt = evicted.begin(new NodeRuns(BOTH, () -> engine));
        awaitWaiting();
        engine.cancel(execution.id(), "ops", "it is over");
        evicted.stop("LEASE_LOST");
        assertThatThrownBy(attempt::get).hasCauseInstanceOf(InterruptedException.class);
        assertThat(newest(engine, execution, "y").state()).isEqualTo(RunState.ABORTED);
    }

    @Test
    void theLastAttemptStopsWhatItHasStartedIfItFails() {
        RunEngine engine = engine(SOON, remote("flow"), remote("x"));
        Run execution = submit(engine);
        assertThatThrownBy(() -> new NodeRuns(BOTH, () -> engine).run(new AttemptByHand(execution, 1)))
                .isInstanceOf(UnknownJobException.class);
        assertThat(newest(engine, execution, "x").state()).isEqualTo(RunState.ABORTED);
    }

    @Test
    void anAttemptThatDoesNotReachTheStoreStopsNoNode() {
        RunEngine engine = engine(SOON, remote("flow"), remote("x"), remote("y"));
        Run execution = submit(engine);
        AtomicInteger submits = new AtomicInteger();
        faults.slowAnswers("submit", () -> lostIf(submits.incrementAndGet() == 2));
        assertThatThrownBy(() -> new NodeRuns(BOTH, () -> engine).run(new AttemptByHand(execution, 1)))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(newest(engine, execution, "x").state()).isEqualTo(RunState.PENDING);
        assertThat(newest(engine, execution, "y").state()).isEqualTo(RunState.PENDING);
    }

    @Test
    void anExecutionEndsWithItsNodesWhileItsEngineIsClosed() throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        RunHandler waiting = run -> {
            begun.countDown();
            mayGo.await();
            return null;
        };
        RunEngine engine = engine(SOON, flow(RetryPlan.NONE), node("x", waiting), node("y", waiting));
        Run execution = submit(engine);
        begun.await();
        CompletableFuture<Void> closed = closing(engine, execution);
        mayGo.countDown();
        closed.get();
        assertThat(state(execution)).isEqualTo(RunState.SUCCEEDED);
    }

    @Test
    void anExecutionStillStartsItsNodesWhileItsEngineIsClosed() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        RunEngine other =
                engine(memory.anotherClient(), SOON, remote("flow"), node("x", failing(0)), node("y", failing(0)));
        faults.slowAnswers("submit", () -> {
            begun.countDown();
            passed(mayGo);
        });
        RunEngine engine = engine(SOON, flow(RetryPlan.NONE), remote("x"), remote("y"));
        Run execution = submit(other);
        begun.await();
        CompletableFuture<Void> closed = closing(engine, execution);
        mayGo.countDown();
        closed.get();
        assertThat(state(execution)).isEqualTo(RunState.SUCCEEDED);
    }

    @Test
    void anExecutionWhoseEngineIsShutDownLeavesItsNodesToWhoeverTakesItUp() throws Exception {
        RunEngine first = engine(Duration.ZERO, flow(THRICE), remote("x"), remote("y"));
        Run execution = submit(first);
        await().until(() -> NodeRuns.find(first, execution, "y").isPresent());
        Run x = newest(first, execution, "x");
        first.close();
        assertThat(state(execution)).isEqualTo(RunState.PENDING);
        assertThat(state(x)).isEqualTo(RunState.PENDING);
        RunEngine second = engine(SOON, flow(THRICE), node("x", failing(0)), node("y", failing(0)));
        assertThat(second.awaitEnd(execution.id(), SOON).orElseThrow().state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(done).containsExactlyInAnyOrder("x 1", "y 1");
    }

    /** Until the attempt has started its nodes, and looks whether they have ended. */
    private void awaitWaiting() {
        await().until(() -> faults.calls("findRun") > 0);
    }

    /** Begins to close {@code engine}; those who only wait are sent away when this returns. */
    private static CompletableFuture<Void> closing(RunEngine engine, Run execution) {
        CompletableFuture<Optional<Run>> waiting =
                engine.awaitEndAsync(execution.id(), SOON).toCompletableFuture();
        CompletableFuture<Void> closed = new CompletableFuture<>();
        new Thread(() -> {
                    engine.close();
                    closed.complete(null);
                })
                .start();
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(IllegalStateException.class);
        return closed;
    }

    private RunEngine engine(Duration drain, Job... jobs) {
        return engine(faults.store(), drain, jobs);
    }

    private RunEngine engine(RunStore store, Duration drain, Job... jobs) {
        CompletableFuture<RunEngine> built = new CompletableFuture<>();
        List<Job> all = new ArrayList<>();
        for (Job job : jobs) {
            boolean here = job.name().value().equals("flow") && job.work().isPresent();
            all.add(here ? job.doneBy(new NodeRuns(BOTH, built::get)) : job);
        }
        RunEngine engine = RunEngine.builder(store)
                .jobs(Jobs.of(all))
                .pollEvery(Duration.ofMillis(50))
                .drainTime(drain)
                .build();
        built.complete(engine);
        open.add(engine);
        return engine;
    }

    private static Job flow(RetryPlan retry) {
        return Job.named("flow").retry(retry).handler(run -> null).build();
    }

    private static Job node(String name, RunHandler work) {
        return Job.named(name).handler(work).build();
    }

    private static Job remote(String name) {
        return Job.named(name).build();
    }

    /** Work that fails for the first {@code times} of its job. */
    private RunHandler failing(int times) {
        AtomicInteger before = new AtomicInteger();
        return run -> {
            int time = before.incrementAndGet();
            done.add(run.run().job() + " " + time);
            if (time <= times) {
                throw new PermanentFailureException("NOT_YET", "not yet");
            }
            return null;
        };
    }

    private static Run submit(RunEngine engine) {
        return engine.submit(RunRequest.of(LockKey.of("acme", "workflow/flow"), "flow"))
                .orElseThrow();
    }

    private static Run newest(RunEngine engine, Run execution, String node) {
        return NodeRuns.find(engine, execution, node).orElseThrow();
    }

    private RunState state(Run run) {
        return memory.findRun(run.id()).orElseThrow().state();
    }

    private static void lostIf(boolean lost) {
        if (lost) {
            throw new StoreUnavailableException("faulty", "lost its answer");
        }
    }

    private static void passed(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
