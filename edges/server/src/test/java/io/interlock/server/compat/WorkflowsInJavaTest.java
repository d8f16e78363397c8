package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RefusedException;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.workflow.Workflows;
import io.interlock.engine.workflow.Workflows.LockAcquisitionFailedException;
import io.interlock.engine.workflow.Workflows.WorkflowLockedException;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Workflows without HTTP: typed exceptions, and nodes under keys of their own. */
class WorkflowsInJavaTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final HandWork work = new HandWork();

    @Test
    void whatStandsInTheWayIsATypedException() throws Exception {
        Job invoice = Job.named("invoice").handler(work).build();
        try (RunEngine engine =
                RunEngine.builder("memory:").jobs(Jobs.of(invoice)).build()) {
            Workflows workflows = Workflows.on(engine);
            Workflows.Execution first = workflows.runWorkflowIdempotent("acme", "invoice", "evt_1", "{}");
            assertThat(first.duplicate()).isFalse();
            assertThat(workflows.runWorkflowIdempotent("acme", "invoice", "evt_1", "{\"a\":1}"))
                    .isEqualTo(new Workflows.Execution(first.id(), true));
            work.working(first.id().toString());
            assertThatThrownBy(() -> workflows.runWorkflow("acme", "invoice", "{}"))
                    .isInstanceOfSatisfying(WorkflowLockedException.class, locked -> {
                        assertThat(locked.workflowId()).isEqualTo("invoice");
                        assertThat(locked.existingExecutionId()).isEqualTo(first.id());
                        assertThat(locked).hasMessageContaining("is currently locked by execution " + first.id());
                    });
            work.succeed(first.id().toString());
            assertThat(engine.awaitEnd(first.id(), SOON).orElseThrow().state()).isEqualTo(RunState.SUCCEEDED);
            engine.leases()
                    .acquire(
                            LockKey.of("globex", "workflow/invoice"),
                            new RemoteWork.Caller(
                                    LeaseId.random(Environment.system().random()), new Holder("script", "a script")),
                            Duration.ofSeconds(30),
                            Duration.ZERO)
                    .toCompletableFuture()
                    .join();
            assertThatThrownBy(() -> workflows.runWorkflow("globex", "invoice", "{}"))
                    .isInstanceOfSatisfying(LockAcquisitionFailedException.class, raced -> {
                        assertThat(raced.workflowId()).isEqualTo("invoice");
                        assertThat(raced.refusal()).isInstanceOf(Refusal.Held.class);
                    });
            engine.pause("acme", "workflow/invoice", "ops", "upgrade", null);
            assertThatThrownBy(() -> workflows.runWorkflow("acme", "invoice", "{}"))
                    .isInstanceOf(RefusedException.class);
        }
    }

    @Test
    void nodesOfOneWorkflowRunInParallelUnderKeysOfTheirOwn() throws Exception {
        List<String> nodes = List.of("charge", "mail", "ledger");
        HandWork ofNodes = new HandWork();
        // The workflow has a key, each of its nodes another: they exclude their likes, not each other.
        Job node = Job.named("node").handler(ofNodes).build();
        try (RunEngine engine = RunEngine.builder("memory:")
                .jobs(Jobs.of(node, Job.named("invoice").handler(work).build()))
                .build()) {
            RunId execution = Workflows.on(engine).runWorkflow("acme", "invoice", "{}");
            List<RunId> running = new ArrayList<>();
            for (String name : nodes) {
                LockKey key = LockKey.of("acme", Workflows.KEYS + "invoice/node/" + name);
                running.add(
                        engine.submit(RunRequest.of(key, "node")).orElseThrow().id());
                assertThat(engine.submit(RunRequest.of(key, "node")).isAccepted())
                        .isFalse();
            }
            running.forEach(id -> ofNodes.working(id.toString()));
            assertThat(running)
                    .as("all at once")
                    .allSatisfy(id ->
                            assertThat(engine.find(id).orElseThrow().state()).isEqualTo(RunState.RUNNING));
            running.forEach(id -> ofNodes.succeed(id.toString()));
            work.succeed(execution.toString());
            assertThat(engine.awaitEnd(execution, SOON).orElseThrow().state()).isEqualTo(RunState.SUCCEEDED);
        }
    }
}
