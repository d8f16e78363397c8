package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.Holder;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.DeadLetter.DiscardAnswer;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.JobName;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.RefusalCount;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus.Stage;
import io.interlock.run.SweepAction;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.InterceptedStore;
import io.interlock.spi.run.RunStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What engines keep beside runs. */
public abstract class BackgroundContract extends EngineContract {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final RetryPlan TWICE = new RetryPlan(2, Duration.ofMillis(1), 1, Duration.ofMillis(1));

    @Test
    void aDeadRunIsDoneAnewByAnotherOneOrByNobody() throws Exception {
        AtomicBoolean mended = new AtomicBoolean();
        RunEngine engine = bench().engine(Jobs.of(Job.named("load")
                .retry(TWICE)
                .handler(run -> {
                    if (!mended.get()) {
                        throw new TransientFailureException("AWAY", "no answer");
                    }
                    return null;
                })
                .build()));
        RunId first = dead(engine);
        RunId second = dead(engine);
        DeadLetterQuery open = new DeadLetterQuery("acme", null, true, 0, 10);
        assertThat(engine.deadLetters().list(open))
                .extracting(letter -> letter.run().id())
                .containsExactly(first, second);

        mended.set(true);
        RedriveAnswer answer = engine.deadLetters().redrive(first, "carol", "the other side is back");
        assertThat(answer).isInstanceOfSatisfying(RedriveAnswer.Redriven.class, redriven -> {
            assertThat(redriven.letter().isOpen()).isFalse();
            assertThat(ended(engine, redriven.run().id()).state()).isEqualTo(RunState.SUCCEEDED);
        });
        assertThat(engine.deadLetters().discard(second, "carol", "no longer needed"))
                .isInstanceOf(DiscardAnswer.Settled.class);
        assertThat(engine.deadLetters().list(open)).isEmpty();
        assertThat(engine.deadLetters().list(new DeadLetterQuery("acme", null, false, 0, 10)))
                .hasSize(2)
                .noneMatch(DeadLetter::isOpen);
    }

    @Test
    void theAuditLogIsSealedAndWhole() {
        RunEngine engine =
                bench().engine(Jobs.of(Job.named("load").handler(run -> null).build()));
        LockKey key = bench().key();
        RunId run = bench().noted(engine.submit(RunRequest.of(key, "load")))
                .orElseThrow()
                .id();
        ended(engine, run);
        int records = engine.audit(key).size();
        assertThat(records).isGreaterThanOrEqualTo(3);
        await().atMost(LONG).until(() -> bench().store().audit().unsealed(1).isEmpty());
        assertThat(bench().store().audit().head().position()).isGreaterThanOrEqualTo(records);
        assertThat(engine.queries().verifyAudit(List.of()).isClean()).isTrue();
    }

    @Test
    void whatACrashEndedIsToldOnceHoweverManyEnginesLook() {
        Queue<EngineEvent.EndedByRule> told = new ConcurrentLinkedQueue<>();
        Jobs jobs = Jobs.of(Job.named("load").lease(Duration.ofSeconds(2)).build());
        UnaryOperator<EngineBuilder> listening = builder -> builder.listener(event -> {
            if (event instanceof EngineEvent.EndedByRule ended) {
                told.add(ended);
            }
        });
        RunEngine one = bench().engine(jobs, listening);
        RunEngine other = bench().engine(jobs, listening);
        RunId first = lost(one, other);
        await().atMost(LONG).until(() -> !told.isEmpty());
        // When the second is told of, a second word about the first would have come.
        RunId second = lost(other, one);
        await().atMost(LONG).until(() -> told.size() > 1);
        assertThat(told).extracting(ended -> ended.run().id()).containsExactly(first, second);
        assertThat(told).allSatisfy(ended -> {
            assertThat(ended.code()).isEqualTo(RunError.WORKER_TIMEOUT);
            assertThat(ended.after()).isEqualTo(RunState.FAILED);
            assertThat(ended.attempt()).isNotNull();
        });
    }

    @Test
    void aRunWhoseLeaseEndsWhileTheJanitorIsAtWorkIsToldOf() {
        Jobs jobs = Jobs.of(Job.named("load").lease(Duration.ofSeconds(2)).build());
        RunStore store = InterceptedStore.of(
                bench().store(),
                RunStore.class,
                // Its lease ends after this sweep.
                call -> call.step().equals("sweepRuns") ? List.of() : call.proceed());
        try (RunEngine engine = RunEngine.builder(store)
                .jobs(jobs)
                .sweepEvery(Duration.ofHours(1))
                .build()) {
            LockKey key = bench().key();
            RunId run = bench().noted(engine.submit(RunRequest.of(key, "load")))
                    .orElseThrow()
                    .id();
            goneWorker(engine);
            bench().advance(Duration.ofSeconds(3));
            List<SweepAction> done = engine.janitor().runOnce().stream()
                    .flatMap(round -> round.actions().stream())
                    .filter(action -> run.equals(action.run()))
                    .toList();
            assertThat(done)
                    .extracting(SweepAction::state)
                    .as("its attempt, and its lease")
                    .containsExactly(RunState.FAILED, null);
            assertThat(done.get(0).why()).contains("its lease ended before its work did");
        }
    }

    @Test
    void aLeaseThatASweepClearedIsToldOfThoughItsRunCannotBeLookedUp() {
        Jobs jobs = Jobs.of(Job.named("load").lease(Duration.ofSeconds(2)).build());
        RunStore store = InterceptedStore.of(bench().store(), RunStore.class, call -> switch (call.step()) {
            case "sweepRuns" -> List.of();
            case "attempts" -> throw new StoreUnavailableException("test", "is down, as the test wants it");
            default -> call.proceed();
        });
        try (RunEngine engine = RunEngine.builder(store)
                .jobs(jobs)
                .sweepEvery(Duration.ofHours(1))
                .build()) {
            RunId run = bench().noted(engine.submit(RunRequest.of(bench().key(), "load")))
                    .orElseThrow()
                    .id();
            goneWorker(engine);
            bench().advance(Duration.ofSeconds(3));
            assertThat(engine.janitor().runOnce().stream().flatMap(round -> round.actions().stream()))
                    .extracting(SweepAction::run)
                    .contains(run);
        }
    }

    @Test
    void whatASweepDidIsToldThoughTheStoreFailsAfterwards() {
        AtomicBoolean again = new AtomicBoolean();
        List<SweepAction> page = IntStream.range(0, 100)
                .mapToObj(i -> new SweepAction(LockKey.of("acme", "k" + i), null, null, "as the test wants it"))
                .toList();
        RunStore store = InterceptedStore.of(bench().store(), RunStore.class, call -> {
            if (!call.step().equals("sweepRuns")) {
                return call.proceed();
            }
            if (again.getAndSet(true)) {
                throw new StoreUnavailableException("test", "is down, as the test wants it");
            }
            return page;
        });
        try (RunEngine engine =
                RunEngine.builder(store).sweepEvery(Duration.ofHours(1)).build()) {
            assertThat(engine.janitor().runOnce().get(0).actions()).isEqualTo(page);
            assertThat(engine.janitor().runOnce().get(0).skipped()).contains("is down");
        }
    }

    /** A run whose worker is never heard of again, as {@code finder} sees it. */
    private RunId lost(RunEngine taker, RunEngine finder) {
        LockKey key = bench().key();
        RunId run = bench().noted(taker.submit(RunRequest.of(key, "load")))
                .orElseThrow()
                .id();
        goneWorker(taker);
        bench().advance(Duration.ofSeconds(3));
        await().atMost(LONG).until(() -> finder.find(run).orElseThrow().state() == RunState.FAILED);
        return run;
    }

    private static void goneWorker(RunEngine engine) {
        RemoteWork.Claim claim = new RemoteWork.Claim(
                UUID.randomUUID(), new Holder("gone", "worker-3"), "acme", Set.of(new JobName("load")), 1);
        assertThat(engine.remote().claim(claim, LONG).toCompletableFuture().join())
                .hasSize(1);
    }

    @Test
    void whatStartsNothingNewIsCounted() throws Exception {
        Rendezvous work = new Rendezvous();
        Job job = Job.named("load").handler(work).build();
        LockKey key = bench().key();
        Instant before = Instant.EPOCH;
        RunEngine engine = bench().engine(Jobs.of(job));
        RunId running = bench().noted(engine.submit(RunRequest.of(key, "load")))
                .orElseThrow()
                .id();
        work.awaitBegin();
        for (int i = 0; i < 3; i++) {
            assertThat(engine.submit(RunRequest.of(key, "load"))).isInstanceOf(Submission.Rejected.class);
        }
        work.letGo();
        ended(engine, running);
        engine.close();
        RunEngine observer = bench().engine(Jobs.of(job));
        List<RefusalCount> counts = observer.queries().refusals(key, before);
        assertThat(counts).allMatch(count -> count.outcome() == RefusalCount.Outcome.REJECTED);
        assertThat(counts.stream().mapToLong(RefusalCount::count).sum()).isEqualTo(3);
    }

    @Test
    void theLastWordsOfWorkAreKept() {
        RunEngine engine = bench().engine(Jobs.of(Job.named("load")
                .handler(run -> {
                    run.stage("extract");
                    run.stage("load");
                    run.progress(7, 7);
                    run.output("seven rows\n");
                    return null;
                })
                .build()));
        RunId run = bench().noted(engine.submit(RunRequest.of(bench().key(), "load")))
                .orElseThrow()
                .id();
        Run end = ended(engine, run);
        assertThat(end.status().stages()).extracting(Stage::name).containsExactly("extract", "load");
        assertThat(end.status().progress()).isNotNull();
        assertThat(engine.queries().outputs(run).get(1)).contains("seven rows");
    }

    @Test
    void whoWorksAndWhatGoesOnIsShown() throws Exception {
        Rendezvous work = new Rendezvous();
        RunEngine engine =
                bench().engine(Jobs.of(Job.named("load").handler(work).build()), builder -> builder.slots(3));
        LockKey key = bench().key();
        RunId run = bench().noted(engine.submit(RunRequest.of(key, "load")))
                .orElseThrow()
                .id();
        work.awaitBegin();
        await().atMost(LONG)
                .until(() -> !engine.queries().workers("acme", LONG, 10).isEmpty());
        assertThat(engine.queries().workers("acme", LONG, 10)).singleElement().satisfies(note -> {
            assertThat(note.slots()).isEqualTo(3);
            assertThat(note).extracting(WorkerNote::jobs).isEqualTo(Set.of(new JobName("load")));
        });
        assertThat(engine.queries().keys(KeyQuery.ofTenant("acme")))
                .singleElement()
                .satisfies(view -> assertThat(view.currentRun().map(Run::id)).contains(run));
        assertThat(engine.queries().runCounts())
                .singleElement()
                .satisfies(count -> assertThat(count.state()).isEqualTo(RunState.RUNNING));
        engine.pause("acme", "other/*", "carol", "upgrade", null);
        assertThat(engine.queries().pauses("acme")).hasSize(1);
        assertThat(engine.queries().pauses("globex")).isEmpty();
        work.letGo();
        ended(engine, run);
    }

    private RunId dead(RunEngine engine) {
        RunId run = bench().noted(engine.submit(RunRequest.of(bench().key(), "load")))
                .orElseThrow()
                .id();
        assertThat(ended(engine, run).state()).isEqualTo(RunState.DEAD);
        return run;
    }

    private static Run ended(RunEngine engine, RunId run) {
        try {
            Run end = engine.awaitEnd(run, LONG).orElseThrow();
            assertThat(end.state().isTerminal()).as("ended: " + end).isTrue();
            return end;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stop);
        }
    }
}
