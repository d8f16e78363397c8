package io.interlock.engine.workflow;

import static io.interlock.engine.workflow.Flows.SOON;
import static io.interlock.engine.workflow.Flows.THRICE;
import static io.interlock.engine.workflow.Flows.flow;
import static io.interlock.engine.workflow.Flows.node;
import static io.interlock.engine.workflow.Flows.remote;
import static io.interlock.engine.workflow.Flows.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.RunState;
import io.interlock.engine.EngineClosedException;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunHandler;
import io.interlock.engine.TransientFailureException;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.spi.run.InterceptedStore;
import io.interlock.spi.run.RunStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which nodes an attempt of an execution does, and what it leaves to the next one. */
@Timeout(60)
class NodeRunsTest {

    private final Flows flows = new Flows();
    private final List<String> done = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        flows.close();
    }

    @Test
    void noFurtherAttemptDoesAgainWhatHasSucceeded() throws Exception {
        RunEngine engine = flows.engine(SOON, flow(THRICE), node("x", failing(1)), node("y", failing(2)));
        Run end = engine.awaitEnd(submit(engine).id(), SOON).orElseThrow();
        assertThat(end.state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(done).containsExactlyInAnyOrder("x 1", "y 1", "x 2", "y 2", "y 3");
    }

    @Test
    void anAttemptThatLostItsLeaseLeavesItsNodesToTheNextOne() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicInteger times = new AtomicInteger();
        RunEngine engine = flows.engine(SOON, remote("flow"), node("x", run -> {
            if (times.incrementAndGet() == 1) {
                throw new PermanentFailureException("X", "not yet");
            }
            begun.countDown();
            flows.mayGo.await();
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
        flows.mayGo.countDown();
        assertThat(third.get()).contains(flows.newest(execution, "x").id().toString());
        assertThat(times).hasValue(2);
    }

    @Test
    void anExecutionEndsWithItsNodesWhileItsEngineIsClosed() throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        RunHandler waiting = run -> {
            begun.countDown();
            flows.mayGo.await();
            return null;
        };
        RunEngine engine = flows.engine(SOON, flow(RetryPlan.NONE), node("x", waiting), node("y", waiting));
        Run execution = submit(engine);
        begun.await();
        CompletableFuture<Void> closed = closing(engine, execution);
        flows.mayGo.countDown();
        closed.get();
        assertThat(flows.state(execution)).isEqualTo(RunState.SUCCEEDED);
    }

    @Test
    void anExecutionStillStartsItsNodesWhileItsEngineIsClosed() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        RunEngine other = flows.engine(
                flows.memory.anotherClient(), SOON, remote("flow"), node("x", failing(0)), node("y", failing(0)));
        flows.faults.slowAnswers("submit", () -> {
            begun.countDown();
            passed(flows.mayGo);
        });
        RunEngine engine = flows.engine(SOON, flow(RetryPlan.NONE), remote("x"), remote("y"));
        Run execution = submit(other);
        begun.await();
        CompletableFuture<Void> closed = closing(engine, execution);
        flows.mayGo.countDown();
        closed.get();
        assertThat(flows.state(execution)).isEqualTo(RunState.SUCCEEDED);
    }

    @Test
    void anExecutionWhoseEngineIsShutDownLeavesItsNodesToWhoeverTakesItUp() throws Exception {
        RunEngine first = flows.engine(Duration.ZERO, flow(THRICE), remote("x"), remote("y"));
        Run execution = submit(first);
        await().until(() -> flows.hasBoth(execution));
        Run x = flows.newest(execution, "x");
        first.close();
        assertThat(flows.state(execution)).isEqualTo(RunState.PENDING);
        assertThat(flows.state(x)).isEqualTo(RunState.PENDING);
        RunEngine second = flows.engine(SOON, flow(THRICE), node("x", failing(0)), node("y", failing(0)));
        assertThat(second.awaitEnd(execution.id(), SOON).orElseThrow().state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(done).containsExactlyInAnyOrder("x 1", "y 1");
    }

    @Test
    void aNodeThatIsForgottenWhileItsExecutionGoesOnIsNotWaitedFor() {
        RunStore forgetful = InterceptedStore.of(
                flows.memory,
                RunStore.class,
                call -> call.step().equals("findRun") ? Optional.empty() : call.proceed());
        RunEngine engine = flows.engine(forgetful, SOON, remote("flow"), remote("x"));
        AttemptByHand attempt = new AttemptByHand(submit(engine), 1);
        CompletableFuture<String> end = attempt.begin(new NodeRuns(List.of("x"), () -> engine));
        try {
            assertThat(end)
                    .failsWithin(SOON)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(TransientFailureException.class)
                    .withMessageContaining("of node x is forgotten");
        } finally {
            attempt.stop("SHUTDOWN");
        }
    }

    /** Begins to close {@code engine}; callers that only wait are refused before this returns. */
    private static CompletableFuture<Void> closing(RunEngine engine, Run execution) {
        CompletableFuture<Optional<Run>> waiting =
                engine.awaitEndAsync(execution.id(), SOON).toCompletableFuture();
        CompletableFuture<Void> closed = new CompletableFuture<>();
        new Thread(() -> {
                    engine.close();
                    closed.complete(null);
                })
                .start();
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(EngineClosedException.class);
        return closed;
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

    private static void passed(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
