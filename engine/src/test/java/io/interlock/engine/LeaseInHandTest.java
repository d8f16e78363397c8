package io.interlock.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.CallerRun.CallerTurn;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunSpec.Execution;
import io.interlock.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Leases, heartbeats and endings while the store fails and time is in the test's hands. */
class LeaseInHandTest {

    private static final LockKey KEY = LockKey.of("acme", "pipeline/7");
    private static final Duration WORK = Duration.ofSeconds(60);

    private final Simulation world = new Simulation(4711);
    private final MemoryStore memory = new MemoryStore(world.host());
    private final FaultyStore faults = new FaultyStore(memory).silent();
    private final Simulation.Host process = world.host();
    private final List<EngineEvent> events = new ArrayList<>();
    private final List<RunContext> works = new ArrayList<>();
    private Duration workTime = WORK;
    private RunHandler handler = run -> "{}";

    private final RunEngine engine = RunEngine.builder(faults.store())
            .environment(process)
            .threads(process.threads(() -> workTime))
            .listener(events::add)
            .jobs(Jobs.of(Job.named("load")
                    .retry(new RetryPlan(2, Duration.ofSeconds(1), 1, Duration.ofSeconds(1)))
                    .handler(run -> {
                        works.add(run);
                        return handler.run(run);
                    })
                    .build()))
            .build();

    @Test
    void heartbeatsCarryALeaseThroughWorkThatTakesLonger() {
        RunId id = submit();
        seconds(59);
        assertThat(run(id).state()).isEqualTo(RunState.RUNNING);
        assertThat(faults.calls("heartbeat")).as("one every ten seconds").isBetween(5, 8);
        seconds(2);
        assertThat(run(id).state()).isEqualTo(RunState.SUCCEEDED);
        int heartbeats = faults.calls("heartbeat");
        seconds(60);
        assertThat(faults.calls("heartbeat")).as("none after the end").isEqualTo(heartbeats);
    }

    @Test
    void heartbeatsOfManyRunsShareTheirCalls() {
        for (int i = 0; i < 10; i++) {
            engine.submit(RunRequest.of(LockKey.of("acme", "pipeline/x" + i), "load"));
        }
        seconds(59);
        assertThat(faults.calls("heartbeat")).isLessThan(20);
    }

    @Test
    void findingTheHeartbeatThatFailsTakesNoLongerThanTheOthersCanWait() {
        for (int i = 0; i < 64; i++) {
            engine.submit(RunRequest.of(LockKey.of("acme", "pipeline/x" + i), "by-hand")
                    .execution(Execution.CALLER));
        }
        faults.loseAnswers("heartbeat");
        faults.slowAnswers("heartbeat", () -> world.freeze(Duration.ofMillis(400)));
        seconds(11);
        assertThat(faults.calls("heartbeat")).as("the batch was halved").isGreaterThan(1);
        assertThat(world.now()).isLessThan(Duration.ofSeconds(14));
    }

    @Test
    void nobodyIsGrantedWhatTheStoreDidNotConfirm() {
        faults.down("submit");
        assertThatThrownBy(this::submit).isInstanceOf(StoreUnavailableException.class);
        CompletableFuture<Submission> later =
                engine.submitAsync(RunRequest.of(KEY, "load")).toCompletableFuture();
        assertThatThrownBy(later::join).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThat(events).isEmpty();
    }

    @Test
    void aCallerIsToldToStopBeforeItsLeaseEndsIfNoHeartbeatIsConfirmed() {
        CallerRun work = callers();
        faults.down("heartbeat");
        world.advance(Duration.ofMillis(24_600));
        work.checkpoint();
        world.advance(Duration.ofMillis(200));
        assertThat(work.stopping().orElseThrow().reason()).contains("no renewal was confirmed in time");
        assertThat(memory.find(List.of(KEY)).get(0).orElseThrow().isLive())
                .as("the lease still lives")
                .isTrue();
        assertThat(events).anyMatch(EngineEvent.LeaseLost.class::isInstance);
        assertThat(work.remaining()).isZero();
    }

    @Test
    void aHeartbeatAnsweredAfterTheDeadlineDoesNotBringTheWorkBack() {
        CallerRun work = callers();
        // The heartbeat that follows the watch of its key.
        seconds(2);
        // The answer is there, but this process was held up until after its deadline, and no timer has run yet.
        faults.slowAnswers("heartbeat", () -> world.freeze(Duration.ofSeconds(18)));
        seconds(11);
        assertThat(world.now()).isGreaterThan(Duration.ofMillis(26_700));
        assertThat(work.stopping().orElseThrow().reason()).contains("no renewal was confirmed in time");
        assertThat(work.remaining()).isZero();
    }

    @Test
    void aCallerThatWasInterruptedAndDoesNotComeBackLeavesTheLine() {
        callers();
        Submission.Queued queued = (Submission.Queued) engine.submit(
                RunRequest.of(KEY, "by-hand").execution(Execution.CALLER).onConflict(ConflictPolicy.QUEUE));
        CallerTurn turn = requireNonNull(queued.turn());
        for (int i = 0; i < 3; i++) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(turn::take).isInstanceOf(InterruptedException.class);
            seconds(14);
            assertThat(run(turn.run().id()).state()).as("may come back").isEqualTo(RunState.QUEUED);
        }
        seconds(2);
        assertThat(run(turn.run().id()).state()).isEqualTo(RunState.ABORTED);
    }

    @Test
    void aCallerWhoseWaitIsOverDoesNotWaitForAStoreThatIsAway() {
        callers();
        Submission.Queued queued = (Submission.Queued) engine.submit(RunRequest.of(KEY, "by-hand")
                .execution(Execution.CALLER)
                .onConflict(ConflictPolicy.QUEUE)
                .maxWait(Duration.ofSeconds(60)));
        CompletableFuture<CallerTurn.Outcome> turn =
                requireNonNull(queued.turn()).takeAsync().toCompletableFuture();
        faults.down("takeTurn");
        seconds(59);
        assertThat(turn).as("it may come back in time").isNotDone();
        seconds(3);
        assertThat(turn)
                .completesExceptionallyWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withCauseInstanceOf(StoreUnavailableException.class)
                .withMessageContaining("was over");
    }

    @Test
    void theDeadlineCountsFromBeforeTheHeartbeatWasSent() {
        CallerRun work = callers();
        Duration[] sent = {Duration.ZERO};
        faults.slowAnswers("heartbeat", () -> {
            sent[0] = world.now();
            world.freeze(Duration.ofSeconds(8));
        });
        seconds(12);
        assertThat(sent[0]).isPositive();
        Duration reliable = sent[0].plus(Duration.ofMillis(24_700)).minus(world.now());
        assertThat(work.remaining()).isPositive().isLessThanOrEqualTo(reliable);
        // The store counts from later on, so its lease lives longer than anybody here relies on it.
        faults.down("heartbeat");
        world.advance(reliable);
        assertThat(work.stopping()).isPresent();
        assertThat(memory.find(List.of(KEY)).get(0).orElseThrow().isLive()).isTrue();
    }

    @Test
    void aSleepingMachineFindsOutThatItsLeaseIsOver() {
        CallerRun work = callers();
        process.sleep(Duration.ofSeconds(40));
        world.advance(Duration.ofMillis(600));
        assertThat(work.stopping()).isPresent();
    }

    @Test
    void anEndingTheStoreDidNotHearIsToldAgainInTime() {
        RunId id = submit();
        faults.down("finish");
        seconds(61);
        assertThat(run(id).state()).isEqualTo(RunState.RUNNING);
        // Longer than a lease: heartbeats go on, so the ending still counts.
        seconds(40);
        faults.up();
        seconds(10);
        assertThat(run(id).state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(works).hasSize(1);
        assertThat(ends()).hasSize(1);
    }

    @Test
    void anEndingWhoseAnswerWasLostIsToldAgainInTheSameWords() {
        RunId id = submit();
        faults.loseAnswers("finish");
        seconds(61);
        assertThat(run(id).state()).isEqualTo(RunState.SUCCEEDED);
        faults.up();
        seconds(10);
        assertThat(ends()).hasSize(1);
        assertThat(memory.queries().attempts(id)).hasSize(1);
        assertThat(engine.workers().busy()).isZero();
    }

    @Test
    void anEndingThatCannotBeToldWhileTheLeaseLivesIsGivenUp() {
        RunId id = submit();
        seconds(59);
        faults.down("finish", "heartbeat", "claim", "sweepRuns", "sweep");
        seconds(60);
        faults.up();
        workTime = Duration.ofSeconds(1);
        seconds(30);
        Run run = run(id);
        assertThat(run.state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(run.status().attempts())
                .as("the attempt that was lost, and another")
                .isEqualTo(2);
        assertThat(memory.queries().attempts(id).get(0).error())
                .extracting(RunError::code)
                .isEqualTo(RunError.WORKER_TIMEOUT);
    }

    @Test
    void aClaimWhoseAnswerWasLostIsMadeAgainUnderItsName() {
        faults.loseAnswers("claim");
        RunId id = submit();
        seconds(3);
        assertThat(run(id).state()).isEqualTo(RunState.RUNNING);
        assertThat(engine.workers().busy()).isZero();
        faults.up();
        seconds(70);
        assertThat(run(id).state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(run(id).status().attempts()).isEqualTo(1);
        assertThat(works).hasSize(1);
    }

    @Test
    void workersGoOnWhenTheStoreIsBack() {
        faults.down("claim", "heartbeat", "sweepRuns", "sweep");
        RunId id = submit();
        seconds(300);
        assertThat(run(id).state()).isEqualTo(RunState.PENDING);
        assertThat(faults.calls("claim")).as("with longer and longer pauses").isLessThan(60);
        faults.up();
        seconds(90);
        assertThat(run(id).state()).isEqualTo(RunState.SUCCEEDED);
    }

    @Test
    void whatComesTooLateIsRefused() {
        RunId id = submit();
        seconds(1);
        faults.down("heartbeat");
        seconds(40);
        assertThat(events).anyMatch(EngineEvent.LeaseLost.class::isInstance);
        faults.up();
        seconds(25);
        // The first attempt returned after its loss; only the second one counts.
        assertThat(memory.queries().attempts(id).get(0).next()).isEqualTo(RunState.QUEUED);
        seconds(100);
        assertThat(run(id).state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(run(id).status().attempts()).isEqualTo(2);
        assertThat(works)
                .as("told to stop before it began, the first did nothing")
                .hasSize(1);
    }

    @Test
    void theJanitorComesByItselfAndSaysWhatItDidAndWhy() {
        RunId id = callers().run().id();
        faults.down("heartbeat", "finish");
        // No caller touches the key: the lease of half a minute ends, and a round comes every ten seconds.
        seconds(29);
        assertThat(run(id).state()).isEqualTo(RunState.RUNNING);
        seconds(13);
        assertThat(run(id).state()).isEqualTo(RunState.FAILED);
        assertThat(Optional.ofNullable(run(id).status().error()).orElseThrow().code())
                .isEqualTo(RunError.WORKER_TIMEOUT);
        assertThat(events)
                .filteredOn(EngineEvent.Swept.class::isInstance)
                .extracting(event -> ((EngineEvent.Swept) event).action())
                .anySatisfy(action -> {
                    assertThat(action.run()).isEqualTo(id);
                    assertThat(action.why()).contains("for 30s, never gave it back, and it ended");
                });
    }

    @Test
    void theJanitorComesWhenItSaid() {
        Janitor janitor = engine.janitor();
        Janitor.Plan plan = janitor.plan().orElseThrow();
        Duration left = Duration.between(process.clock().instant(), plan.next());
        assertThat(left)
                .isBetween(
                        plan.every().multipliedBy(8).dividedBy(10),
                        plan.every().multipliedBy(12).dividedBy(10));
        world.advance(left.minusMillis(1));
        assertThat(janitor.lastRound()).isEmpty();
        assertThat(janitor.plan()).contains(plan);
        janitor.runOnce();
        assertThat(janitor.plan()).as("after a round on request").contains(plan);
        world.advance(Duration.ofMillis(2));
        assertThat(janitor.plan().orElseThrow().next()).isAfter(plan.next());
        engine.close();
        assertThat(janitor.plan()).as("of a closed engine").isEmpty();
    }

    @Test
    void aJanitorThatComesLateCallsNobodyDead() {
        RunId id = submit();
        seconds(1);
        // Paused for longer than the lease lives: when it wakes, its own heartbeats must have their chance first.
        world.freeze(Duration.ofSeconds(25));
        seconds(1);
        assertThat(engine.janitor().lastRound().orElseThrow())
                .allMatch(round -> String.valueOf(round.skipped()).contains("later than planned"));
        assertThat(run(id).state()).isEqualTo(RunState.RUNNING);
        seconds(15);
        assertThat(engine.janitor().lastRound().orElseThrow()).allMatch(round -> round.skipped() == null);
    }

    @Test
    void maxRuntimeEndsWorkInItsStageByTheLocalClock() {
        RunId id = engine.submit(RunRequest.of(KEY, "load").maxRuntime(Duration.ofSeconds(20)))
                .orElseThrow()
                .id();
        workTime = Duration.ofSeconds(25);
        seconds(26);
        Run run = run(id);
        assertThat(run.state()).isEqualTo(RunState.TIMED_OUT);
        assertThat(Optional.ofNullable(run.status().error()).orElseThrow().message())
                .contains("max runtime of 20s")
                .contains(KEY.toString());
    }

    @Test
    void aListenerThatThrowsHarmsNobody() {
        RunEngine other = RunEngine.builder(faults.store())
                .environment(process)
                .threads(process.threads(() -> workTime))
                .listener(event -> {
                    throw new IllegalStateException("broken listener");
                })
                .jobs(Jobs.of(Job.named("copy").handler(run -> "{}").build()))
                .build();
        RunId id = other.submit(RunRequest.of(KEY, "copy")).orElseThrow().id();
        seconds(70);
        assertThat(run(id).state()).isEqualTo(RunState.SUCCEEDED);
    }

    private CallerRun callers() {
        Submission submission = engine.submit(RunRequest.of(KEY, "by-hand").execution(Execution.CALLER));
        return requireNonNull(((Submission.Started) submission).work());
    }

    private List<EngineEvent> ends() {
        return events.stream()
                .filter(EngineEvent.AttemptEnded.class::isInstance)
                .toList();
    }

    private RunId submit() {
        return engine.submit(RunRequest.of(KEY, "load")).orElseThrow().id();
    }

    private Run run(RunId id) {
        return memory.queries().findRun(id).orElseThrow();
    }

    private void seconds(long seconds) {
        world.advance(Duration.ofSeconds(seconds));
    }
}
