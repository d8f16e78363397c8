package io.interlock.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseLostException;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.CallerRun.CallerTurn;
import io.interlock.engine.WorkContext.RunStoppedException;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunSpec.Execution;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Runs whose work is done by the callers that submit them, here or somewhere else. */
public abstract class EngineCallerContract extends EngineContract {

    private static final Ending DONE = new Ending.Succeeded("{}");
    private static final Holder REMOTE = new Holder("far/1", "a worker far away");

    @Test
    void aCallerStartsAtOnceKeepsItsLeaseAndFinishes() {
        RunEngine engine = bench().engine(Jobs.of());
        LockKey key = bench().key();
        try (CallerRun work = started(engine.submit(request(key)))) {
            work.stage("copy");
            work.progress(1, 2L);
            assertThat(work.remaining()).isPositive();
            await().until(() ->
                    engine.find(work.run().id()).orElseThrow().status().stages().size() == 1);
            assertThat(work.finish(DONE).state()).isEqualTo(RunState.SUCCEEDED);
            assertThat(work.finish(DONE).state()).as("said again").isEqualTo(RunState.SUCCEEDED);
            assertThat(work.remaining()).isZero();
        }
        started(engine.submit(request(key))).close();
    }

    @Test
    void aCallerThatClosesWithoutAWordHasFailed() {
        RunEngine engine = bench().engine(Jobs.of());
        CallerRun work = started(engine.submit(request(bench().key())));
        work.close();
        Run end = engine.find(work.run().id()).orElseThrow();
        assertThat(end.state()).isEqualTo(RunState.FAILED);
        assertThat(end.status().error()).extracting(RunError::code).isEqualTo("UNFINISHED");
        work.close();
    }

    @Test
    void heartbeatsKeepACallersLeaseAlive() {
        RunEngine engine = bench().engine(Jobs.of());
        LockKey key = bench().key();
        CallerRun work = started(engine.submit(request(key).lease(Duration.ofSeconds(2))));
        for (int i = 0; i < 3; i++) {
            // The next heartbeat comes within a third of the lease; the store's time runs ahead meanwhile.
            bench().advance(Duration.ofMillis(1100));
            long heartbeats = engine.audit(key).size();
            work.stage("part " + i);
            String stage = "part " + i;
            await().until(() -> engine.find(work.run().id()).orElseThrow().status().stages().stream()
                    .anyMatch(told -> told.name().equals(stage)));
            assertThat(engine.audit(key).size()).isEqualTo((int) heartbeats);
        }
        assertThat(work.finish(DONE).state()).isEqualTo(RunState.SUCCEEDED);
    }

    @Test
    void callersInLineHaveTheirTurnsInOrder() throws Exception {
        RunEngine engine = bench().engine(Jobs.of());
        RunEngine other = bench().engine(Jobs.of());
        LockKey key = bench().key();
        CallerRun first = started(engine.submit(queueing(key)));
        CallerTurn second = turn(engine.submit(queueing(key)));
        CallerTurn third = turn(other.submit(queueing(key)));
        CompletionStage<CallerTurn.Outcome> thirdsTurn = third.takeAsync();
        CompletableFuture<CallerTurn.Outcome> secondsTurn = second.takeAsync().toCompletableFuture();
        assertThat(secondsTurn).isNotDone();
        first.finish(DONE);
        CallerRun work = granted(secondsTurn.get(10, TimeUnit.SECONDS));
        assertThat(work.run().id()).isEqualTo(second.run().id());
        assertThat(work.token().value()).isGreaterThan(first.token().value());
        assertThat(thirdsTurn.toCompletableFuture()).isNotDone();
        work.finish(DONE);
        granted(thirdsTurn.toCompletableFuture().get(10, TimeUnit.SECONDS)).finish(DONE);
    }

    @Test
    void aHundredCallersWaitWithoutAThreadEach() throws Exception {
        RunEngine engine = bench().engine(Jobs.of());
        LockKey key = bench().key();
        CallerRun first = started(engine.submit(queueing(key)));
        int threads = Thread.activeCount();
        List<CallerTurn> turns = new ArrayList<>();
        List<CompletableFuture<CallerTurn.Outcome>> taken = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            CallerTurn turn = turn(engine.submit(queueing(key)));
            turns.add(turn);
            taken.add(turn.takeAsync().toCompletableFuture());
        }
        assertThat(Thread.activeCount() - threads).as("threads beside").isLessThan(40);
        // Callers that leave are not in the way of callers that stay: every tenth has its turn.
        for (int i = 0; i < 100; i++) {
            if (i % 10 != 0) {
                turns.get(i).close();
            }
        }
        first.finish(DONE);
        for (int i = 0; i < 100; i += 10) {
            granted(taken.get(i).get(20, TimeUnit.SECONDS)).finish(DONE);
        }
    }

    @Test
    void aCallerThatLeavesTheLineIsCancelled() throws Exception {
        RunEngine engine = bench().engine(Jobs.of());
        LockKey key = bench().key();
        CallerRun first = started(engine.submit(queueing(key)));
        CallerTurn second = turn(engine.submit(queueing(key)));
        CompletableFuture<CallerTurn.Outcome> turn = second.takeAsync().toCompletableFuture();
        second.close();
        Run end = engine.awaitEnd(second.run().id(), Duration.ofSeconds(10)).orElseThrow();
        assertThat(end.state()).isEqualTo(RunState.ABORTED);
        assertThatThrownBy(turn::join).isInstanceOf(RuntimeException.class);
        first.finish(DONE);
    }

    @Test
    void aCallerWhoseMaxWaitIsOverHearsSo() throws Exception {
        RunEngine engine = bench().engine(Jobs.of());
        LockKey key = bench().key();
        CallerRun first = started(engine.submit(queueing(key)));
        CallerTurn second = turn(engine.submit(queueing(key).maxWait(Duration.ofMillis(200))));
        CallerTurn.Outcome outcome = second.take();
        assertThat(outcome).isInstanceOf(CallerTurn.Outcome.Over.class);
        Run end = ((CallerTurn.Outcome.Over) outcome).run();
        assertThat(end.status().error()).extracting(RunError::code).isEqualTo(RunError.WAIT_EXPIRED);
        first.finish(DONE);
    }

    @Test
    void whoComesForANextTurnWhileTheEngineClosesIsSentAway() throws Exception {
        RunEngine engine = bench().engine(Jobs.of(Job.named("load")
                .retry(new RetryPlan(3, Duration.ofSeconds(30), 1, Duration.ofSeconds(30)))
                .build()));
        CallerRun work = requireNonNull(((Submission.Started) bench().noted(engine.submit(
                        RunRequest.of(bench().key(), "load").execution(Execution.CALLER))))
                .work());
        Thread closing = new Thread(engine::close);
        closing.start();
        work.finish(new Ending.Failed(new RunError("AWAY", "later"), true, null));
        closing.join();
        assertThatThrownBy(() -> work.nextTurn().orElseThrow().take()).isInstanceOf(EngineClosedException.class);
    }

    @Test
    void closingSendsWaitingCallersAway() throws Exception {
        RunEngine engine = bench().engine(Jobs.of());
        RunEngine waiters = bench().engine(Jobs.of());
        LockKey key = bench().key();
        CallerRun first = started(engine.submit(queueing(key)));
        CallerTurn second = turn(waiters.submit(queueing(key)));
        CompletableFuture<CallerTurn.Outcome> turn = second.takeAsync().toCompletableFuture();
        waiters.close();
        assertThatThrownBy(turn::join).hasRootCauseInstanceOf(EngineClosedException.class);
        first.finish(DONE);
    }

    @Test
    void aTurnThatIsClosedBeforeAnybodyTookItIsGivenBack() throws Exception {
        RunEngine engine = bench().engine(Jobs.of());
        LockKey key = bench().key();
        CallerRun first = started(engine.submit(queueing(key)));
        CallerTurn second = turn(engine.submit(queueing(key)));
        CountDownLatch waits = new CountDownLatch(1);
        Thread waiter = new Thread(() -> {
            waits.countDown();
            assertThatThrownBy(second::take).isInstanceOf(InterruptedException.class);
        });
        waiter.start();
        waits.await();
        waiter.interrupt();
        waiter.join();
        first.finish(DONE);
        await().until(() -> engine.find(second.run().id()).orElseThrow().state() == RunState.RUNNING);
        second.close();
        Run end = engine.awaitEnd(second.run().id(), Duration.ofSeconds(10)).orElseThrow();
        assertThat(end.state()).isEqualTo(RunState.ABORTED);
        assertThat(end.status().error()).extracting(RunError::code).isEqualTo(RunError.CANCELLED);
        started(engine.submit(request(key))).finish(DONE);
        assertThatThrownBy(second::take).isInstanceOf(CancellationException.class);
        assertThatThrownBy(() -> get(second.takeAsync())).hasRootCauseInstanceOf(CancellationException.class);
    }

    @Test
    void aCallerThatWasInterruptedStillHasItsPlace() throws Exception {
        RunEngine engine = bench().engine(Jobs.of());
        LockKey key = bench().key();
        CallerRun first = started(engine.submit(queueing(key)));
        CallerTurn second = turn(engine.submit(queueing(key)));
        Thread.currentThread().interrupt();
        assertThatThrownBy(second::take).isInstanceOf(InterruptedException.class);
        first.finish(DONE);
        await().until(() -> engine.find(second.run().id()).orElseThrow().state() == RunState.RUNNING);
        CallerRun work = granted(second.take());
        second.close();
        assertThat(work.finish(DONE).state())
                .as("closing the turn does not end work that was taken")
                .isEqualTo(RunState.SUCCEEDED);
    }

    @Test
    void whoHangsWhenSentAwayHoldsUpNoClosing() throws Exception {
        RunEngine engine = bench().engine(Jobs.of());
        RunEngine waiters = bench().engine(Jobs.of());
        LockKey key = bench().key();
        CallerRun first = started(engine.submit(queueing(key)));
        CountDownLatch mayGo = new CountDownLatch(1);
        List<CompletionStage<?>> waits = List.of(
                turn(waiters.submit(queueing(key))).takeAsync(),
                waiters.submitAsync(request(key).retryOnConflict(1000, Duration.ofSeconds(1))),
                waiters.awaitEndAsync(first.run().id(), Duration.ofMinutes(5)),
                waiters.remote()
                        .claim(
                                new RemoteWork.Claim(new UUID(8, 8), REMOTE, "acme", Set.of(new JobName("load")), 1),
                                Duration.ofMinutes(5)));
        List<CompletionStage<?>> hanging = new ArrayList<>();
        for (CompletionStage<?> wait : waits) {
            hanging.add(wait.handle((outcome, failure) -> {
                assertThat(failure instanceof CompletionException ? failure.getCause() : failure)
                        .isInstanceOf(EngineClosedException.class);
                return mayGoOn(mayGo);
            }));
        }
        waiters.close();
        assertThat(hanging).noneMatch(stage -> stage.toCompletableFuture().isDone());
        mayGo.countDown();
        for (CompletionStage<?> stage : hanging) {
            assertThat(get(stage)).isEqualTo(true);
        }
        first.finish(DONE);
    }

    private static boolean mayGoOn(CountDownLatch mayGo) {
        try {
            return mayGo.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    @Test
    void aCallerIsToldThatItsLeaseWasTakenAndItsEndingDoesNotCount() {
        RunEngine engine = bench().engine(Jobs.of());
        LockKey key = bench().key();
        CallerRun work = started(engine.submit(request(key)));
        CompletableFuture<Void> told = new CompletableFuture<>();
        work.onStop(() -> told.complete(null));
        engine.evict(key, work.token(), "ops", "stuck");
        told.join();
        assertThatThrownBy(work::checkpoint).isInstanceOf(RunStoppedException.class);
        assertThatThrownBy(() -> work.finish(DONE)).isInstanceOf(LeaseLostException.class);
        assertThat(engine.find(work.run().id()).orElseThrow().status().error())
                .extracting(RunError::code)
                .isEqualTo(RunError.EVICTED);
    }

    @Test
    void aWorkerFarAwayClaimsBeatsAndFinishes() throws Exception {
        RunEngine engine = bench().engine(Jobs.of(Job.named("load").build()));
        RemoteWork remote = engine.remote();
        RemoteWork.Claim claim = new RemoteWork.Claim(new UUID(7, 7), REMOTE, "acme", Set.of(new JobName("load")), 5);
        assertThat(get(remote.claim(claim, Duration.ZERO))).isEmpty();
        CompletableFuture<List<Claimed>> waiting =
                remote.claim(claim, Duration.ofSeconds(20)).toCompletableFuture();
        RunId id = bench().noted(engine.submit(RunRequest.of(bench().key(), "load")))
                .orElseThrow()
                .id();
        Claimed work = get(waiting).get(0);
        assertThat(work.run().id()).isEqualTo(id);
        assertThat(get(remote.claim(claim, Duration.ZERO)))
                .as("the same claim again")
                .hasSize(1);
        RemoteWork.Proof proof = new RemoteWork.Proof(
                id, work.run().key(), work.lease().id(), work.lease().token());
        assertThat(get(remote.heartbeat(proof, "copy", null))).isInstanceOf(HeartbeatAnswer.Beating.class);
        assertThat(get(remote.finish(proof, DONE))).isInstanceOf(FinishAnswer.Finished.class);
        assertThat(get(remote.finish(proof, DONE))).isInstanceOf(FinishAnswer.Finished.class);
        assertThat(get(remote.heartbeat(proof, null, null))).isInstanceOf(HeartbeatAnswer.Lost.class);
    }

    @Test
    void aCallerFarAwayTakesItsTurn() throws Exception {
        RunEngine engine = bench().engine(Jobs.of());
        RemoteWork remote = engine.remote();
        LockKey key = bench().key();
        CallerRun first = started(engine.submit(queueing(key)));
        RemoteWork.Caller caller =
                new RemoteWork.Caller(LeaseId.random(Environment.system().random()), REMOTE);
        Run queued = bench().noted(get(remote.submit(queueing(key), caller))).orElseThrow();
        assertThat(queued.state()).isEqualTo(RunState.QUEUED);
        assertThat(get(remote.takeTurn(queued.id(), key, caller, Duration.ZERO)))
                .isInstanceOf(TurnAnswer.Waiting.class);
        CompletableFuture<TurnAnswer> turn = remote.takeTurn(queued.id(), key, caller, Duration.ofSeconds(20))
                .toCompletableFuture();
        first.finish(DONE);
        TurnAnswer.Granted granted = (TurnAnswer.Granted) get(turn);
        RemoteWork.Proof proof = new RemoteWork.Proof(
                queued.id(), key, caller.lease(), granted.lease().token());
        assertThat(get(remote.finish(proof, DONE))).isInstanceOf(FinishAnswer.Finished.class);
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private static RunRequest request(LockKey key) {
        return RunRequest.of(key, "by-hand").execution(Execution.CALLER);
    }

    private static RunRequest queueing(LockKey key) {
        return request(key).onConflict(ConflictPolicy.QUEUE);
    }

    private CallerRun started(Submission submission) {
        assertThat(bench().noted(submission)).isInstanceOf(Submission.Started.class);
        return requireNonNull(((Submission.Started) submission).work());
    }

    private CallerTurn turn(Submission submission) {
        assertThat(bench().noted(submission)).isInstanceOf(Submission.Queued.class);
        return requireNonNull(((Submission.Queued) submission).turn());
    }

    private static CallerRun granted(CallerTurn.Outcome outcome) {
        assertThat(outcome).isInstanceOf(CallerTurn.Outcome.Granted.class);
        return ((CallerTurn.Outcome.Granted) outcome).work();
    }
}
