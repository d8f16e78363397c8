package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.RefusedException;
import io.interlock.RunId;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.engine.Jobs.UnknownJobException;
import io.interlock.engine.Submission.IdempotencyMismatchException;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.RunError;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What comes of a request, apart from who has the key. */
public abstract class EngineSubmitContract extends EngineContract {

    private static final Jobs IDLE =
            Jobs.of(Job.named("load").build(), Job.named("nightly-close").build());

    @Test
    void theSameRequestUnderTheSameIdempotencyKeyIsTheSameRun() {
        RunEngine engine = bench().engine(IDLE);
        RunRequest request = RunRequest.of(bench().key(), "load")
                .idempotencyKey("event-7")
                .parameters("{\"n\":1}")
                .labels(Map.of("team", "a", "zone", "b"));
        Run first = bench().noted(engine.submit(request)).orElseThrow();
        // The submitter and the reason may differ.
        Submission again = bench().engine(IDLE).submit(request.submitter("bob").reason("to be sure"));
        assertThat(again).isInstanceOf(Submission.Duplicate.class);
        assertThat(again.orElseThrow().id()).isEqualTo(first.id());
        assertThat(again.explanation()).contains(first.id().toString());
    }

    @Test
    void anotherRequestUnderTheSameIdempotencyKeyIsAnError() {
        RunEngine engine = bench().engine(IDLE);
        LockKey key = bench().key();
        Run first = bench().noted(engine.submit(RunRequest.of(key, "load").idempotencyKey("event-7")))
                .orElseThrow();
        assertThatThrownBy(() -> engine.submit(
                        RunRequest.of(key, "load").idempotencyKey("event-7").parameters("{\"n\":2}")))
                .isInstanceOf(IdempotencyMismatchException.class)
                .hasMessageContaining("event-7")
                .hasMessageContaining(first.id().toString());
        assertThatThrownBy(
                        () -> join(engine, RunRequest.of(key, "nightly-close").idempotencyKey("event-7")))
                .hasRootCauseInstanceOf(IdempotencyMismatchException.class);
    }

    @Test
    void aDoorMaySayThatOnlyTheIdempotencyKeyCounts() {
        RunEngine engine = bench().engine(IDLE);
        LockKey key = bench().key();
        RunRequest request = RunRequest.of(key, "load").idempotencyKey("hook/7").fingerprint("hook/7");
        bench().noted(engine.submit(request));
        assertThat(engine.submit(request.parameters("{\"other\":true}"))).isInstanceOf(Submission.Duplicate.class);
    }

    @Test
    void anUnknownJobIsRefusedWithTheOneThatMayHaveBeenMeant() {
        RunEngine engine = bench().engine(IDLE);
        assertThatThrownBy(() -> engine.submit(RunRequest.of(bench().key(), "nightly-clsoe")))
                .isInstanceOf(UnknownJobException.class)
                .hasMessageContaining("did you mean 'nightly-close'")
                .hasMessageContaining("load");
    }

    @Test
    void parametersOverTheLimitAreRefusedWithTheNumbers() {
        RunEngine engine = bench().engine(IDLE);
        RunRequest request = RunRequest.of(bench().key(), "load").parameters("x".repeat(70_000));
        assertThatThrownBy(() -> engine.submit(request))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("70000")
                .hasMessageContaining("65536");
    }

    @Test
    void aFullLineRefusesWithItsLength() {
        RunEngine engine = bench().engine(Jobs.of(
                Job.named("load").onConflict(ConflictPolicy.QUEUE).queueCap(2).build()));
        LockKey key = bench().key();
        for (int i = 0; i < 3; i++) {
            bench().noted(engine.submit(RunRequest.of(key, "load")));
        }
        Submission full = engine.submit(RunRequest.of(key, "load"));
        assertThat(full).isInstanceOf(Submission.Rejected.class);
        assertThat(((Submission.Rejected) full).refusal()).isInstanceOf(RunRefusal.QueueFull.class);
        assertThatThrownBy(full::orElseThrow).isInstanceOf(RefusedException.class);
    }

    @Test
    void aTenantStartsNoMoreThanItMay() {
        RunEngine engine = bench().engine(IDLE, builder -> builder.tenantMaxRunning("acme", 1));
        bench().noted(engine.submit(RunRequest.of(bench().key(), "load")));
        Submission second = engine.submit(RunRequest.of(bench().key(), "load"));
        assertThat(second.explanation()).contains("no more than 1");
    }

    @Test
    void askingAgainOnConflictStartsOnceTheKeyIsFree() throws Exception {
        Rendezvous work = new Rendezvous();
        RunEngine engine =
                bench().engine(Jobs.of(Job.named("load").handler(work).build()));
        LockKey key = bench().key();
        bench().noted(engine.submit(RunRequest.of(key, "load")));
        work.awaitBegin();
        CompletableFuture<Submission> second = engine.submitAsync(
                        RunRequest.of(key, "load").retryOnConflict(200, Duration.ofMillis(50)))
                .toCompletableFuture();
        assertThat(second).isNotDone();
        work.letGo();
        assertThat(bench().noted(second.get(20, TimeUnit.SECONDS))).isInstanceOf(Submission.Started.class);
    }

    @Test
    void aJobMayAskAgainForAllItsSubmissions() throws Exception {
        Rendezvous work = new Rendezvous();
        RunEngine engine = bench().engine(Jobs.of(Job.named("load")
                .conflictRetry(200, Duration.ofMillis(50))
                .handler(work)
                .build()));
        LockKey key = bench().key();
        bench().noted(engine.submit(RunRequest.of(key, "load")));
        work.awaitBegin();
        assertThat(engine.submit(RunRequest.of(key, "load").retryOnConflict(0, Duration.ZERO)))
                .as("a request may say otherwise")
                .isInstanceOf(Submission.Rejected.class);
        CompletableFuture<Submission> second =
                engine.submitAsync(RunRequest.of(key, "load")).toCompletableFuture();
        assertThat(second).isNotDone();
        work.letGo();
        assertThat(bench().noted(second.get(20, TimeUnit.SECONDS))).isInstanceOf(Submission.Started.class);
    }

    @Test
    void askingAgainOnConflictGivesUpAfterItsCount() {
        RunEngine engine = bench().engine(IDLE);
        LockKey key = bench().key();
        bench().noted(engine.submit(RunRequest.of(key, "load")));
        assertThat(engine.submit(RunRequest.of(key, "load").retryOnConflict(3, Duration.ofMillis(1))))
                .isInstanceOf(Submission.Rejected.class);
    }

    @Test
    void aRunInLineExplainsItsWaitAndCanBeCancelled() throws Exception {
        Rendezvous work = new Rendezvous();
        RunEngine engine = bench().engine(Jobs.of(
                Job.named("load").onConflict(ConflictPolicy.QUEUE).handler(work).build()));
        LockKey key = bench().key();
        RunId first = bench().noted(engine.submit(RunRequest.of(key, "load")))
                .orElseThrow()
                .id();
        work.awaitBegin();
        Submission queued = bench().noted(engine.submit(RunRequest.of(key, "load")));
        RunId second = queued.orElseThrow().id();
        assertThat(queued.explanation()).contains("number 1 in line");
        assertThat(engine.explain(second).orElseThrow().sentence())
                .contains("number 1 in line")
                .contains(first.toString())
                .contains("is alive");
        assertThat(engine.queue(key)).extracting(Run::id).containsExactly(second);
        assertThat(engine.cancel(second, "alice", "changed my mind")).isInstanceOf(CancelAnswer.Cancelled.class);
        Run end = engine.awaitEnd(second, Duration.ofSeconds(10)).orElseThrow();
        assertThat(end.state()).isEqualTo(RunState.ABORTED);
        work.letGo();
        assertThat(engine.awaitEnd(first, Duration.ofSeconds(10)).orElseThrow().state())
                .isEqualTo(RunState.SUCCEEDED);
    }

    @Test
    void pausedKeysStartNothingUntilTheyAreResumed() throws Exception {
        RunEngine engine = bench().engine(Jobs.of(Job.named("load")
                .onConflict(ConflictPolicy.QUEUE)
                .handler(run -> "{}")
                .build()));
        engine.pause("acme", "job/*", "ops", "maintenance", null);
        LockKey key = bench().key();
        RunId id = bench().noted(engine.submit(RunRequest.of(key, "load")))
                .orElseThrow()
                .id();
        Run paused = engine.awaitEnd(id, Duration.ofMillis(200)).orElseThrow();
        assertThat(paused.state()).isEqualTo(RunState.QUEUED);
        assertThat(engine.submit(RunRequest.of(key, "load").onConflict(ConflictPolicy.REJECT))
                        .explanation())
                .contains("maintenance");
        assertThat(engine.resume("acme", "job/*", "ops", "done")).isTrue();
        assertThat(engine.awaitEnd(id, Duration.ofSeconds(10)).orElseThrow().state())
                .isEqualTo(RunState.SUCCEEDED);
    }

    @Test
    void waitingForARunThatDoesNotExistEndsAtOnce() throws Exception {
        RunEngine engine = bench().engine(IDLE);
        RunId unknown = RunId.parse("01890a5d-ac96-774b-bcce-b302099a8057");
        assertThat(engine.awaitEnd(unknown, Duration.ofMinutes(5))).isEmpty();
    }

    @Test
    void aRunNobodyClaimsInTimeFailsForWantOfAWorker() throws Exception {
        RunEngine engine = bench().engine(IDLE);
        RunId id = bench().noted(
                        engine.submit(RunRequest.of(bench().key(), "load").maxWait(Duration.ofSeconds(30))))
                .orElseThrow()
                .id();
        bench().advance(Duration.ofSeconds(31));
        await().until(() -> engine.find(id).orElseThrow().state() == RunState.FAILED);
        assertThat(Optional.ofNullable(engine.find(id).orElseThrow().status().error()))
                .map(RunError::code)
                .contains(RunError.NO_WORKER);
        // The round that ended it may still be under way.
        await().until(() -> engine.janitor().lastRound().isPresent());
    }

    @Test
    void aClosedEngineTakesNothingIn() {
        RunEngine engine = bench().engine(IDLE);
        engine.close();
        assertThatThrownBy(() -> engine.submit(RunRequest.of(bench().key(), "load")))
                .isInstanceOf(EngineClosedException.class)
                .hasMessageContaining("closed");
        engine.close();
    }

    private static Submission join(RunEngine engine, RunRequest request) {
        return engine.submitAsync(request).toCompletableFuture().join();
    }
}
