package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RefusedException;
import io.interlock.RunId;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.AuditRecord;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.Transition;
import io.interlock.spi.run.RunStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the five systems ask of the engine, before any compatible API is put in front of it. */
public abstract class ScenarioContract extends EngineContract {

    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void aDuplicateOfAPipelineGetsTheIdOfTheRunThatIsUnderWay() throws Exception {
        Rendezvous work = new Rendezvous();
        RunEngine engine = bench().engine(Jobs.of(Job.named("export")
                .onConflict(ConflictPolicy.JOIN)
                .handler(work)
                .build()));
        LockKey key = bench().key();
        Submission first = bench().noted(engine.submit(RunRequest.of(key, "export")));
        assertThat(first.orElseThrow().state()).isEqualTo(RunState.PENDING);
        work.awaitBegin();
        Submission second = bench().noted(engine.submit(RunRequest.of(key, "export")));
        assertThat(second).isInstanceOf(Submission.Joined.class);
        assertThat(second.orElseThrow().id()).isEqualTo(first.orElseThrow().id());
        assertThat(second.orElseThrow().state()).isEqualTo(RunState.RUNNING);
        work.letGo();
        assertThat(end(engine, first.orElseThrow().id()).state()).isEqualTo(RunState.SUCCEEDED);
    }

    @Test
    void ofFiveResumesOneStartsAndFourAreAlreadyRunning() throws Exception {
        Rendezvous work = new Rendezvous();
        RunEngine engine = bench().engine(Jobs.of(Job.named("readiness")
                .onConflict(ConflictPolicy.SKIP)
                .handler(work)
                .build()));
        LockKey key = bench().key();
        List<Submission> answers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            answers.add(bench().noted(engine.submit(RunRequest.of(key, "readiness"))));
        }
        RunId run = answers.get(0).orElseThrow().id();
        assertThat(answers.subList(1, 5))
                .allMatch(Submission.Skipped.class::isInstance)
                .allMatch(skipped -> skipped.incumbent().equals(Optional.of(run)));
        work.awaitBegin();
        work.letGo();
        assertThat(end(engine, run).state()).isEqualTo(RunState.SUCCEEDED);
    }

    @Test
    void theKeyIsFreeHoweverTheWorkEnds() throws Exception {
        ConcurrentLinkedQueue<Run> ends = new ConcurrentLinkedQueue<>();
        RunEngine engine = bench().engine(Jobs.of(
                Job.named("succeeds").handler(run -> null).build(),
                Job.named("returns-early")
                        .handler(run -> {
                            run.stage("nothing to do");
                            return "{}";
                        })
                        .build(),
                Job.named("fails")
                        .handler(run -> {
                            throw new IllegalStateException("broken");
                        })
                        .build(),
                Job.named("dies")
                        .handler(run -> {
                            throw new StackOverflowError("too deep");
                        })
                        .build()));
        LockKey key = bench().key();
        for (String job : List.of("succeeds", "returns-early", "fails", "dies", "succeeds")) {
            Submission started = bench().noted(engine.submit(RunRequest.of(key, job)));
            assertThat(started).as(job).isInstanceOf(Submission.Started.class);
            ends.add(end(engine, started.orElseThrow().id()));
        }
        assertThat(ends)
                .extracting(Run::state)
                .containsExactly(
                        RunState.SUCCEEDED, RunState.SUCCEEDED, RunState.FAILED, RunState.FAILED, RunState.SUCCEEDED);
    }

    @Test
    void aRejectedStartThrowsWithTheIdOfTheRunInTheWayAndLeavesNoRunBehind() throws Exception {
        Rendezvous work = new Rendezvous();
        RunEngine engine =
                bench().engine(Jobs.of(Job.named("workflow").handler(work).build()));
        LockKey key = bench().key();
        RunId running = bench().noted(engine.submit(RunRequest.of(key, "workflow")))
                .orElseThrow()
                .id();
        work.awaitBegin();
        Assertions.assertThatThrownBy(
                        () -> engine.submit(RunRequest.of(key, "workflow")).orElseThrow())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(key.name());
        RunStore store = bench().store();
        assertThat(store.audit().records(key).stream().map(AuditRecord::run).distinct())
                .containsExactly(running);
        LeaseRecord lock = store.find(List.of(key)).get(0).orElseThrow();
        assertThat(lock.holder().runId()).contains(running);
        assertThat(lock.isLive()).isTrue();
        assertThat(lock.expiresAt()).isAfter(lock.grantedAt());
        work.letGo();
        end(engine, running);
        assertThat(store.find(List.of(key)).get(0)).as("free again").isEmpty();
    }

    @Test
    void aWorkflowOfHigherPriorityGoesFirst() throws Exception {
        Rendezvous first = new Rendezvous();
        ConcurrentLinkedQueue<String> order = new ConcurrentLinkedQueue<>();
        RunEngine engine = bench().engine(Jobs.of(
                Job.named("first").handler(first).build(),
                Job.named("queued")
                        .onConflict(ConflictPolicy.QUEUE)
                        .handler(run -> {
                            order.add(run.run().spec().parameters());
                            return null;
                        })
                        .build()));
        LockKey key = bench().key();
        bench().noted(engine.submit(RunRequest.of(key, "first")));
        first.awaitBegin();
        RunId low = queue(engine, key, "\"low\"", 0);
        RunId high = queue(engine, key, "\"high\"", 10);
        first.letGo();
        end(engine, low);
        end(engine, high);
        assertThat(order).containsExactly("\"high\"", "\"low\"");
    }

    @Test
    void clusterJobsMoveTheirClusterAlongTheDrawnEdgesOnly() throws Exception {
        RunEngine engine = bench().engine(Jobs.of(
                cluster("CREATE", Set.of("PENDING"), "CREATING", "READY"),
                cluster("DESTROY", Set.of("READY", "FAILED"), "DESTROYING", "DESTROYED"),
                cluster("SCALE_WORKERS", Set.of("READY"), "SCALING", "READY"),
                cluster("JANITOR_DESTROY", Set.of("READY"), "DESTROYING", "DESTROYED")));
        LockKey key = bench().key();
        engine.setResource(key, "cluster", "PENDING", 0, "ops", "asked for");
        refused(engine, key, "DESTROY", "PENDING", Set.of("READY", "FAILED"));
        refused(engine, key, "SCALE_WORKERS", "PENDING", Set.of("READY"));
        moves(engine, key, "CREATE", "ok", "READY");
        refused(engine, key, "CREATE", "READY", Set.of("PENDING"));
        moves(engine, key, "SCALE_WORKERS", "ok", "READY");
        moves(engine, key, "DESTROY", "fails", "FAILED");
        refused(engine, key, "SCALE_WORKERS", "FAILED", Set.of("READY"));
        refused(engine, key, "JANITOR_DESTROY", "FAILED", Set.of("READY"));
        moves(engine, key, "DESTROY", "ok", "DESTROYED");
        refused(engine, key, "DESTROY", "DESTROYED", Set.of("READY", "FAILED"));
        refused(engine, key, "CREATE", "DESTROYED", Set.of("PENDING"));
    }

    @Test
    void anEventMovesForwardOnly() throws Exception {
        RunEngine engine = bench().engine(Jobs.of(
                Job.named("ingest")
                        .transition(new Transition(
                                "event", Set.of("none", "laps_full"), "ingesting", "laps_full", Transition.PREVIOUS))
                        .handler(ScenarioContract::okOrFails)
                        .build(),
                Job.named("reset")
                        .transition(new Transition("event", Set.of("never"), "resetting", "none", "none"))
                        .handler(run -> null)
                        .build()));
        LockKey key = bench().key();
        moves(engine, key, "ingest", "fails", "none");
        moves(engine, key, "ingest", "ok", "laps_full");
        moves(engine, key, "ingest", "ok", "laps_full");
        moves(engine, key, "ingest", "fails", "laps_full");
        refused(engine, key, "reset", "laps_full", Set.of("never"));
    }

    @Test
    void aRetryIsTheSameRunAndComesAfterItsKeyWasFree() throws Exception {
        ConcurrentLinkedQueue<String> order = new ConcurrentLinkedQueue<>();
        RunEngine engine = bench().engine(Jobs.of(Job.named("flaky")
                .retry(new RetryPlan(3, Duration.ofSeconds(1), 1, Duration.ofSeconds(1)))
                .handler(run -> {
                    order.add(run.run().id() + "/" + run.attempt());
                    if (run.attempt() == 1) {
                        throw new TransientFailureException("AWAY", "come back later");
                    }
                    return null;
                })
                .build()));
        LockKey key = bench().key();
        RunId run = bench().noted(engine.submit(RunRequest.of(key, "flaky")))
                .orElseThrow()
                .id();
        assertThat(end(engine, run).state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(order).containsExactly(run + "/1", run + "/2");
        assertThat(bench().store().audit().records(key))
                .filteredOn(record -> record.action().equals("run"))
                .extracting(AuditRecord::after)
                .containsExactly("RUNNING", "QUEUED", "PENDING", "RUNNING", "SUCCEEDED");
    }

    private RunId queue(RunEngine engine, LockKey key, String parameters, int priority) {
        return bench().noted(engine.submit(
                        RunRequest.of(key, "queued").parameters(parameters).priority(priority)))
                .orElseThrow()
                .id();
    }

    private static Job cluster(String name, Set<String> from, String during, String success) {
        return Job.named(name)
                .transition(new Transition("cluster", from, during, success, "FAILED"))
                .handler(ScenarioContract::okOrFails)
                .build();
    }

    private static @Nullable String okOrFails(RunContext run) throws PermanentFailureException {
        if (run.run().spec().parameters().contains("fails")) {
            throw new PermanentFailureException("BROKEN", "as asked for");
        }
        return null;
    }

    private void moves(RunEngine engine, LockKey key, String job, String how, String to) throws Exception {
        Submission started = bench().noted(engine.submit(RunRequest.of(key, job).parameters("\"" + how + "\"")));
        end(engine, started.orElseThrow().id());
        assertThat(engine.resource(key).orElseThrow().state())
                .as("after " + job)
                .isEqualTo(to);
    }

    private static void refused(RunEngine engine, LockKey key, String job, String state, Set<String> allowed) {
        Submission refused = engine.submit(RunRequest.of(key, job));
        assertThat(refused).as(job + " from " + state).isInstanceOfSatisfying(Submission.Rejected.class, rejected -> {
            assertThat(rejected.refusal()).isInstanceOfSatisfying(RunRefusal.WrongState.class, wrong -> {
                assertThat(wrong.state()).isEqualTo(state);
                assertThat(wrong.allowed()).containsExactlyInAnyOrderElementsOf(allowed);
            });
            assertThat(rejected.explanation()).contains(state);
        });
    }

    private static Run end(RunEngine engine, RunId run) throws InterruptedException {
        Run ended = engine.awaitEnd(run, LONG).orElseThrow();
        assertThat(ended.state().isTerminal()).as("ended: " + ended).isTrue();
        return ended;
    }
}
