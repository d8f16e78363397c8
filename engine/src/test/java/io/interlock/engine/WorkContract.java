package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus.Stage;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.run.Transition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What becomes of work: its endings, its reports, and how it is told to stop. */
public abstract class WorkContract extends EngineContract {

    private static final RetryPlan THRICE = new RetryPlan(3, Duration.ofMillis(1), 1, Duration.ofMillis(1));

    @Test
    void workThatReturnsSucceedsWithItsResult() throws Exception {
        Run end = ended(Job.named("load").handler(run -> "{\"rows\":7}"));
        assertThat(end.state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(end.status().result()).isEqualTo("{\"rows\":7}");
    }

    @Test
    void workThatFailsForGoodIsNotTriedAgain() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        Run end = ended(Job.named("load").retry(THRICE).handler(run -> {
            attempts.incrementAndGet();
            throw new PermanentFailureException("NO_SUCH_TABLE", "there is no table t");
        }));
        assertThat(end.state()).isEqualTo(RunState.FAILED);
        assertThat(end.status().error()).isEqualTo(new RunError("NO_SUCH_TABLE", "there is no table t"));
        assertThat(attempts).hasValue(1);
    }

    @Test
    void workWhoseFailureCannotBeReadHasFailed() throws Exception {
        Run end = ended(Job.named("load").handler(run -> {
            throw new IllegalStateException("broken") {
                private static final long serialVersionUID = 1;

                @Override
                public String getMessage() {
                    throw new IllegalStateException("broken, too");
                }
            };
        }));
        assertThat(end.state()).isEqualTo(RunState.FAILED);
    }

    @Test
    void aResultTheStoreCannotKeepEndsTheRunAllTheSame() throws Exception {
        Run end = ended(Job.named("load").handler(run -> "\"\u0000\""));
        assertThat(end.state().isTerminal()).isTrue();
    }

    @Test
    void workThatFailsForNowIsTriedAgainUntilItSucceeds() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        Run end = ended(Job.named("load").retry(THRICE).handler(run -> {
            if (run.attempt() < 3) {
                throw new IOException("try again");
            }
            attempts.set(run.attempt());
            return null;
        }));
        assertThat(end.state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(attempts).hasValue(3);
    }

    @Test
    void workThatAlwaysFailsIsDeadWhenItsAttemptsAreUsedUp() throws Exception {
        RunEngine engine = engine(Job.named("load").retry(THRICE).handler(run -> {
            throw new TransientFailureException("BUSY", "attempt " + run.attempt());
        }));
        Run end = end(engine, submit(engine, bench().key()));
        assertThat(end.state()).isEqualTo(RunState.DEAD);
        assertThat(end.status().error()).isEqualTo(new RunError("BUSY", "attempt 3"));
        assertThat(engine.attempts(end.id()))
                .hasSize(3)
                .extracting(Attempt::next)
                .containsExactly(RunState.QUEUED, RunState.QUEUED, RunState.DEAD);
    }

    @Test
    void aJobSaysWhichExceptionsAreForGood() throws Exception {
        JobBuilder job = Job.named("load")
                .retry(THRICE)
                .permanent(RuntimeException.class)
                .retryOn(UncheckedIOException.class);
        Run forGood = ended(job.handler(run -> {
            throw new IllegalStateException("broken");
        }));
        assertThat(forGood.state()).isEqualTo(RunState.FAILED);
        assertThat(forGood.status().error()).isEqualTo(new RunError("IllegalStateException", "broken"));
        Run forNow = ended(job.handler(run -> {
            throw new UncheckedIOException(new IOException("reset"));
        }));
        assertThat(forNow.state()).isEqualTo(RunState.DEAD);
    }

    @Test
    void aResultThatIsTooLongFailsTheRunAndSaysSo() throws Exception {
        Run end = ended(Job.named("load").handler(run -> "x".repeat(65 * 1024)));
        assertThat(end.state()).isEqualTo(RunState.FAILED);
        assertThat(end.status().error()).extracting(RunError::code).isEqualTo("RESULT_TOO_LARGE");
        assertThat(requireError(end).message()).contains("the limit is 65536");
    }

    @Test
    void stagesAndProgressAreKept() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        RunEngine engine = engine(Job.named("load").handler(run -> {
            run.stage("extract");
            run.stage("load");
            run.progress(3, 7);
            seen.await();
            return null;
        }));
        RunId id = submit(engine, bench().key());
        await().until(() -> engine.find(id).orElseThrow().status().stages().size() == 2);
        await().until(() ->
                engine.find(id).orElseThrow().status().progress().toString().equals("3/7"));
        seen.countDown();
        assertThat(end(engine, id).status().stages()).extracting(Stage::name).containsExactly("extract", "load");
    }

    @Test
    void cancellingInterruptsTheWorkAndEndsItAborted() throws Exception {
        Rendezvous work = new Rendezvous();
        RunEngine engine = engine(Job.named("load").handler(work));
        RunId id = submit(engine, bench().key());
        work.awaitBegin();
        assertThat(engine.cancel(id, "alice", "not needed")).isInstanceOf(CancelAnswer.StopRequested.class);
        Run end = end(engine, id);
        assertThat(end.state()).isEqualTo(RunState.ABORTED);
        assertThat(requireError(end).code()).isEqualTo(RunError.CANCELLED);
        assertThat(requireError(end).message()).contains("alice").contains("not needed");
    }

    @Test
    void cancellingReachesWorkAtAnotherEngineLongBeforeItsNextHeartbeat() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Jobs jobs = Jobs.of(Job.named("load")
                .lease(Duration.ofMinutes(5))
                .handler(run -> {
                    begun.countDown();
                    Thread.currentThread().join();
                    return null;
                })
                .build());
        RunEngine worker = bench().engine(jobs);
        RunEngine other = bench().engine(jobs, builder -> builder.slots(0));
        RunId id = submit(other, bench().key());
        begun.await();
        other.cancel(id, "alice", "not needed");
        // A third of the lease is between two heartbeats.
        await().atMost(Duration.ofMinutes(1))
                .until(() -> worker.find(id).orElseThrow().state() == RunState.ABORTED);
    }

    @Test
    void cancellingReachesWorkAtAnotherEngineAndRunsItsStopTasks() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        Jobs jobs = Jobs.of(Job.named("load")
                .lease(Duration.ofSeconds(2))
                .handler(run -> {
                    run.onStop(stopped::countDown);
                    begun.countDown();
                    // Ignores interrupts: only its own task ends it.
                    while (true) {
                        try {
                            stopped.await();
                            return null;
                        } catch (InterruptedException ignored) {
                            assertThat(run.stopping()).isPresent();
                        }
                    }
                })
                .build());
        RunEngine worker = bench().engine(jobs);
        RunEngine other = bench().engine(jobs, builder -> builder.slots(0));
        RunId id = submit(other, bench().key());
        begun.await();
        other.cancel(id, "alice", "not needed");
        // It had done its work when it stopped, and says so.
        assertThat(end(worker, id).state()).isEqualTo(RunState.SUCCEEDED);
    }

    @Test
    void workOverItsMaxRuntimeIsStoppedAndTimedOutWithItsStage() throws Exception {
        Run end = ended(Job.named("load").maxRuntime(Duration.ofSeconds(1)).handler(run -> {
            run.stage("transform");
            new CountDownLatch(1).await();
            return null;
        }));
        assertThat(end.state()).isEqualTo(RunState.TIMED_OUT);
        assertThat(requireError(end).code()).isEqualTo(RunError.MAX_RUNTIME);
        assertThat(requireError(end).message())
                .contains(end.key().toString())
                .contains("1s")
                .contains("at stage transform");
    }

    @Test
    void workIsStoppedWhenItsLeaseIsTakenByForceAndItsResultIsRefused() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        ConcurrentLinkedQueue<EngineEvent> events = new ConcurrentLinkedQueue<>();
        Job job = Job.named("load")
                .lease(Duration.ofSeconds(2))
                .handler(run -> {
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await();
                        return null;
                    } catch (InterruptedException stopped) {
                        ended.countDown();
                        return "{\"late\":true}";
                    }
                })
                .build();
        RunEngine engine = bench().engine(Jobs.of(job), builder -> builder.listener(events::add));
        LockKey key = bench().key();
        RunId id = submit(engine, key);
        begun.await();
        Run running = engine.find(id).orElseThrow();
        engine.evict(key, running.status().lastTurn().orElseThrow().token(), "ops", "stuck");
        ended.await();
        Run end = end(engine, id);
        assertThat(end.state()).isEqualTo(RunState.ABORTED);
        assertThat(end.status().result()).isNull();
        await().until(() -> events.stream().anyMatch(EngineEvent.LeaseLost.class::isInstance));
        // The victim has confirmed that it stopped: the key is open long before the old lease ends.
        Submission next = engine.submit(RunRequest.of(key, "load"));
        assertThat(next).isInstanceOf(Submission.Started.class);
        engine.cancel(next.orElseThrow().id(), "ops", "it has started, which is all");
    }

    @Test
    void workThatIgnoresItsStopIsVisibleAndKeepsItsSlotUntilItEnds() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        ConcurrentLinkedQueue<EngineEvent> events = new ConcurrentLinkedQueue<>();
        Job job = Job.named("load")
                .lease(Duration.ofSeconds(2))
                .grace(Duration.ofMillis(100))
                .handler(run -> {
                    begun.countDown();
                    while (mayEnd.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                    return "{}";
                })
                .build();
        RunEngine engine = bench().engine(
                        Jobs.of(job), builder -> builder.listener(events::add).slots(1));
        LockKey key = bench().key();
        RunId id = submit(engine, key);
        begun.await();
        engine.cancel(id, "alice", "not needed");
        await().until(() -> engine.workers().stuck() == 1);
        assertThat(engine.workers().free()).isZero();
        await().until(() -> events.stream().anyMatch(EngineEvent.WorkStuck.class::isInstance));
        // Nothing is released under it: the run ends when its lease does, and only then.
        Run end = end(engine, id);
        assertThat(end.state()).isEqualTo(RunState.ABORTED);
        mayEnd.countDown();
        await().until(() -> engine.workers().busy() == 0);
        assertThat(engine.find(id).orElseThrow().state()).isEqualTo(RunState.ABORTED);
    }

    @Test
    void aStageOverItsBudgetIsReportedOnceAndTheWorkGoesOn() throws Exception {
        ConcurrentLinkedQueue<EngineEvent> events = new ConcurrentLinkedQueue<>();
        CountDownLatch mayEnd = new CountDownLatch(1);
        Job job = Job.named("load")
                .stage("load", Duration.ofMillis(50))
                .handler(run -> {
                    run.stage("load");
                    mayEnd.await();
                    return null;
                })
                .build();
        RunEngine engine = bench().engine(Jobs.of(job), builder -> builder.listener(events::add));
        RunId id = submit(engine, bench().key());
        await().until(() -> events.stream().anyMatch(EngineEvent.StageOverBudget.class::isInstance));
        mayEnd.countDown();
        assertThat(end(engine, id).state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(events.stream().filter(EngineEvent.StageOverBudget.class::isInstance))
                .hasSize(1);
    }

    @Test
    void ofThreeThatWantToDestroyAReadyClusterOneDoesAndTheOthersAreRefusedByItsState() throws Exception {
        Transition destroy = new Transition("cluster", Set.of("READY"), "DESTROYING", "DESTROYED", "FAILED");
        Rendezvous work = new Rendezvous();
        RunEngine engine = engine(Job.named("destroy")
                .onConflict(ConflictPolicy.QUEUE)
                .transition(destroy)
                .handler(work));
        LockKey key = bench().key();
        engine.setResource(key, "cluster", "READY", 0, "ops", "created");
        List<RunId> ids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ids.add(bench().noted(engine.submit(RunRequest.of(key, "destroy")))
                    .orElseThrow()
                    .id());
        }
        work.awaitBegin();
        work.letGo();
        assertThat(end(engine, ids.get(0)).state()).isEqualTo(RunState.SUCCEEDED);
        for (RunId refused : ids.subList(1, 3)) {
            Run end = end(engine, refused);
            assertThat(end.state()).isEqualTo(RunState.FAILED);
            assertThat(requireError(end).code()).isEqualTo(RunError.WRONG_STATE);
            assertThat(requireError(end).message()).contains("DESTROYED").contains("READY");
        }
        assertThat(engine.resource(key).orElseThrow().state()).isEqualTo("DESTROYED");
    }

    @Test
    void closingLetsWorkEndAndTakesNothingNew() throws Exception {
        Rendezvous work = new Rendezvous();
        RunEngine engine =
                engine(Job.named("load").onConflict(ConflictPolicy.QUEUE).handler(work));
        RunEngine observer = bench().engine(Jobs.of());
        LockKey key = bench().key();
        RunId first = submit(engine, key);
        RunId second = submit(engine, key);
        work.awaitBegin();
        Thread closing = new Thread(engine::close);
        closing.start();
        await().until(() -> !engine.workers().claiming());
        work.letGo();
        closing.join();
        assertThat(observer.find(first).orElseThrow().state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(observer.find(second).orElseThrow().state()).isEqualTo(RunState.PENDING);
        observer.cancel(second, "test", "over");
    }

    @Test
    void workMaySubmitOtherRunsAndWaitForThemWhileItsEngineIsClosed() throws Exception {
        CompletableFuture<RunEngine> built = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch sentAway = new CountDownLatch(1);
        LockKey key = bench().key();
        Job part = Job.named("part").build();
        Job load = Job.named("load")
                .handler(run -> {
                    begun.countDown();
                    sentAway.await();
                    RunEngine mine = built.get();
                    RunId other = bench().noted(mine.submit(RunRequest.of(key, "part")))
                            .orElseThrow()
                            .id();
                    return "\"" + end(mine, other).state() + "\"";
                })
                .build();
        RunEngine engine = bench().engine(Jobs.of(load, part));
        built.complete(engine);
        RunEngine observer = engine(Job.named("part").handler(run -> "{}"));
        RunId id = submit(engine, bench().key());
        begun.await();
        CompletableFuture<Optional<Run>> guest =
                engine.awaitEndAsync(id, Duration.ofSeconds(20)).toCompletableFuture();
        Thread closing = new Thread(engine::close);
        closing.start();
        assertThatThrownBy(guest::get).hasCauseInstanceOf(EngineClosedException.class);
        sentAway.countDown();
        closing.join();
        assertThat(observer.find(id).orElseThrow().status().result()).isEqualTo("\"SUCCEEDED\"");
    }

    @Test
    void workThatDoesNotEndWithinTheDrainTimeIsStoppedAndTriedAgainElsewhere() throws Exception {
        Rendezvous work = new Rendezvous();
        ConcurrentLinkedQueue<StopRequest> told = new ConcurrentLinkedQueue<>();
        Jobs first = Jobs.of(Job.named("load")
                .retry(THRICE)
                .handler(run -> {
                    run.onStop(() -> run.stopping().ifPresent(told::add));
                    run.onStop(() -> run.stopping().ifPresent(told::add)).cancel();
                    return work.run(run);
                })
                .build());
        RunEngine engine = bench().engine(first, builder -> builder.drainTime(Duration.ofMillis(100)));
        RunId id = submit(engine, bench().key());
        work.awaitBegin();
        engine.close();
        await().until(() -> told.size() == 1);
        RunEngine next = engine(Job.named("load").retry(THRICE).handler(run -> "{}"));
        Run end = end(next, id);
        assertThat(end.state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(told).as("what was taken back is not done").hasSize(1);
        assertThat(next.attempts(id))
                .hasSize(2)
                .first()
                .satisfies(attempt ->
                        assertThat(attempt.error()).extracting(RunError::code).isEqualTo("SHUTDOWN"));
    }

    private Run ended(JobBuilder job) throws Exception {
        try (RunEngine engine = engine(job)) {
            return end(engine, submit(engine, bench().key()));
        }
    }

    private RunEngine engine(JobBuilder job) {
        return bench().engine(Jobs.of(job.build()));
    }

    private RunId submit(RunEngine engine, LockKey key) {
        return bench().noted(engine.submit(RunRequest.of(key, "load")))
                .orElseThrow()
                .id();
    }

    private static Run end(RunEngine engine, RunId id) throws InterruptedException {
        Run end = engine.awaitEnd(id, Duration.ofSeconds(20)).orElseThrow();
        assertThat(end.state().isTerminal()).as("%s has ended", end).isTrue();
        return end;
    }

    private static RunError requireError(Run run) {
        return Optional.ofNullable(run.status().error()).orElseThrow();
    }
}
