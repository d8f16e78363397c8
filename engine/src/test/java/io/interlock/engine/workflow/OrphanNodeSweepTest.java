package io.interlock.engine.workflow;

import static io.interlock.engine.workflow.Flows.SOON;
import static io.interlock.engine.workflow.Flows.flow;
import static io.interlock.engine.workflow.Flows.lostIf;
import static io.interlock.engine.workflow.Flows.node;
import static io.interlock.engine.workflow.Flows.remote;
import static io.interlock.engine.workflow.Flows.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.engine.Job;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunHandler;
import io.interlock.engine.RunRequest;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The nodes of an execution are stopped when it is over, and not before, whichever attempt asked for them and however it ended. */
@Timeout(60)
class OrphanNodeSweepTest {

    private static final Duration NOW_AND_THEN = Duration.ofMillis(100);
    private static final RetryPlan LATER = new RetryPlan(3, Duration.ofHours(1), 1, Duration.ofHours(1));

    private final Flows flows = new Flows();

    @AfterEach
    void close() {
        flows.close();
    }

    @Test
    void theNodesOfAnExecutionWhoseWorkerDiedInItsLastAttemptAreStopped() throws Exception {
        Job brief = Job.named("flow")
                .lease(Duration.ofSeconds(2))
                .handler(run -> null)
                .build();
        RunEngine dying = flows.engine(Duration.ZERO, brief, remote("x"), remote("y"));
        Run execution = submit(dying);
        await().until(() -> flows.hasBoth(execution));
        CountDownLatch begun = new CountDownLatch(1);
        RunHandler waiting = run -> {
            begun.countDown();
            flows.mayGo.await();
            return null;
        };
        flows.engine(flows.memory.anotherClient(), SOON, NOW_AND_THEN, brief, node("x", waiting), remote("y"));
        begun.await();
        flows.faults.down("claim", "heartbeat", "finish", "findRun", "listRuns", "cancel", "sweepRuns", "tallies");
        await().until(() -> flows.state(execution) == RunState.FAILED);
        awaitBothStopped(execution);
    }

    @Test
    void aNodeWhoseStartNobodyHeardOfIsStoppedWithItsExecution() {
        RunEngine engine = flows.engine(SOON, flow(RetryPlan.NONE), remote("x"), remote("y"));
        AtomicInteger submits = new AtomicInteger();
        flows.faults.slowAnswers("submit", () -> lostIf(submits.incrementAndGet() == 3));
        Run execution = submit(engine);
        awaitBothStopped(execution);
        assertThat(flows.state(execution)).isEqualTo(RunState.FAILED);
    }

    @Test
    void anAttemptThatThinksItsTimeIsOverLeavesTheNodesToTheNextOne() {
        RunEngine engine = flows.engine(SOON, remote("flow"), remote("x"), remote("y"));
        Run execution = submit(engine);
        AttemptByHand overdue = new AttemptByHand(execution, 1);
        CompletableFuture<String> attempt = overdue.begin(new NodeRuns(Flows.BOTH, () -> engine));
        await().until(() -> flows.faults.calls("findRun") > 0);
        // By its own clock. By that of the store the lease ended before, and another attempt follows.
        overdue.stop(RunError.MAX_RUNTIME);
        assertThatThrownBy(attempt::get).hasCauseInstanceOf(InterruptedException.class);
        engine.janitor().runOnce();
        assertThat(flows.newest(execution, "x").state()).isEqualTo(RunState.PENDING);
        assertThat(flows.newest(execution, "y").state()).isEqualTo(RunState.PENDING);
    }

    @Test
    void anExecutionThatIsCancelledStopsEachOfItsNodesThoughOneCannotBeReachedAtFirst() {
        RunEngine engine =
                flows.engine(flows.faults.store(), SOON, NOW_AND_THEN, flow(RetryPlan.NONE), remote("x"), remote("y"));
        Run execution = submit(engine);
        await().until(() -> flows.hasBoth(execution));
        AtomicInteger cancels = new AtomicInteger();
        flows.faults.slowQuestions("cancel", () -> lostIf(cancels.incrementAndGet() == 2));
        engine.cancel(execution.id(), "ops", "enough");
        awaitBothStopped(execution);
        assertThat(flows.state(execution)).isEqualTo(RunState.ABORTED);
        assertThat(cancels).hasValueGreaterThan(3);
    }

    @Test
    void anExecutionWhoseLeaseWasTakenByForceStopsItsNodes() {
        RunEngine engine = flows.engine(SOON, flow(RetryPlan.NONE), remote("x"), remote("y"));
        Run execution = submit(engine);
        await().until(() -> flows.hasBoth(execution));
        Run running = flows.memory.queries().findRun(execution.id()).orElseThrow();
        engine.evict(execution.key(), running.status().lastTurn().orElseThrow().token(), "ops", "it is over");
        awaitBothStopped(execution);
    }

    @Test
    void anExecutionThatCannotStartAllOfItsNodesStopsTheOthers() {
        RunEngine engine = flows.engine(SOON, flow(RetryPlan.NONE), remote("x"));
        Run execution = submit(engine);
        await().until(() -> flows.state(execution) == RunState.FAILED);
        await().until(() -> flows.newest(execution, "x").state() == RunState.ABORTED);
    }

    @Test
    void anExecutionThatRestsKeepsItsNodesUntilItIsCancelled() {
        RunEngine engine = flows.engine(SOON, flow(LATER), remote("x"), remote("y"));
        AtomicInteger submits = new AtomicInteger();
        flows.faults.slowAnswers("submit", () -> lostIf(submits.incrementAndGet() == 3));
        Run execution = submit(engine);
        await().until(() -> flows.state(execution) == RunState.QUEUED);
        engine.janitor().runOnce();
        assertThat(flows.newest(execution, "x").state()).isEqualTo(RunState.PENDING);
        assertThat(flows.newest(execution, "y").state()).isEqualTo(RunState.PENDING);
        engine.cancel(execution.id(), "ops", "enough");
        awaitBothStopped(execution);
    }

    @Test
    void aNodeThatIsAskedForAfterTheEndIsStopped() {
        RunEngine engine = flows.engine(SOON, flow(RetryPlan.NONE), remote("x"), remote("y"));
        Run execution = submit(engine);
        await().until(() -> flows.hasBoth(execution));
        engine.cancel(execution.id(), "ops", "enough");
        awaitBothStopped(execution);
        Run late = asked(engine, execution, "node of execution " + execution.id(), "x");
        Run stranger = asked(engine, execution, "by hand", "y");
        engine.janitor().runOnce();
        assertThat(flows.state(late)).isEqualTo(RunState.ABORTED);
        assertThat(flows.state(stranger)).as("no node of the execution").isEqualTo(RunState.PENDING);
    }

    @Test
    void aDeadNodeThatSomebodyRedrivesIsDoneThoughItsExecutionIsOver() throws Exception {
        AtomicInteger times = new AtomicInteger();
        Job mended = Job.named("x")
                .retry(new RetryPlan(2, Duration.ofMillis(1), 1, Duration.ofMillis(1)))
                .handler(run -> {
                    if (times.incrementAndGet() <= 2) {
                        throw new IllegalStateException("not yet");
                    }
                    flows.mayGo.await();
                    return null;
                })
                .build();
        RunEngine engine = flows.engine(SOON, flow(RetryPlan.NONE), mended, node("y", run -> null));
        Run execution = submit(engine);
        assertThat(engine.awaitEnd(execution.id(), SOON).orElseThrow().state()).isEqualTo(RunState.FAILED);
        Run dead = flows.newest(execution, "x");
        RedriveAnswer.Redriven again =
                (RedriveAnswer.Redriven) engine.deadLetters().redrive(dead.id(), "ops", "mended");
        engine.janitor().runOnce();
        flows.mayGo.countDown();
        assertThat(engine.awaitEnd(again.run().id(), SOON).orElseThrow().state())
                .isEqualTo(RunState.SUCCEEDED);
    }

    private void awaitBothStopped(Run execution) {
        await().untilAsserted(() -> {
            assertThat(flows.newest(execution, "x").state()).isEqualTo(RunState.ABORTED);
            assertThat(flows.newest(execution, "y").state()).isEqualTo(RunState.ABORTED);
        });
    }

    private static Run asked(RunEngine engine, Run execution, String reason, String node) {
        LockKey key = NodeRuns.key(execution.key(), node);
        return engine.submit(RunRequest.of(key, node)
                        .labels(Map.of("execution", execution.id().toString()))
                        .reason(reason))
                .orElseThrow();
    }
}
