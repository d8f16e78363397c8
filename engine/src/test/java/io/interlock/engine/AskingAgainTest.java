package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A caller that is refused and asks again, in a world where time passes only when the test says so. */
class AskingAgainTest {

    private static final LockKey KEY = LockKey.of("acme", "event/7");

    private final Simulation world = new Simulation(1);
    private final Simulation.Host host = world.host();
    private final FaultyStore faults = new FaultyStore(new MemoryStore(world.host())).silent();
    private final RunEngine engine = RunEngine.builder(faults.store())
            .environment(host)
            .threads(host.threads(() -> Duration.ZERO))
            .jobs(Jobs.of(Job.named("ingest").build()))
            .withoutBooks()
            .build();

    @Test
    void nothingIsAskedForAnyMoreForWhoeverHasGivenUp() {
        RunRequest request = RunRequest.of(KEY, "ingest");
        Submission holder = engine.submit(request);
        CompletableFuture<Submission> givenUp = engine.submitAsync(request.retryOnConflict(100, Duration.ofMillis(250)))
                .toCompletableFuture();
        world.advance(Duration.ofSeconds(1));
        assertThat(givenUp).isNotDone();
        givenUp.cancel(false);
        engine.cancel(holder.orElseThrow().id(), "ops", "the key is free now");
        world.advance(Duration.ofSeconds(25));
        assertThat(engine.list(RunQuery.ofTenant("acme")).runs()).hasSize(1);
    }

    @Test
    void whoeverHasNotStartsOnceTheKeyIsFree() {
        RunRequest request = RunRequest.of(KEY, "ingest");
        Submission holder = engine.submit(request);
        CompletableFuture<Submission> patient = engine.submitAsync(request.retryOnConflict(100, Duration.ofMillis(250)))
                .toCompletableFuture();
        world.advance(Duration.ofSeconds(1));
        engine.cancel(holder.orElseThrow().id(), "ops", "the key is free now");
        world.advance(Duration.ofSeconds(1));
        assertThat(patient).isCompletedWithValueMatching(Submission.Started.class::isInstance);
    }

    @Test
    void whatTheStoreAcceptsAfterSomebodyHasGivenUpIsCancelled() {
        CompletableFuture<Submission> givenUp = refusedSoFar(RunRequest.of(KEY, "ingest"));
        faults.slowAnswers("submit", () -> givenUp.cancel(false));
        world.advance(Duration.ofSeconds(1));
        assertThat(givenUp).isCancelled();
        assertThat(states()).containsExactlyInAnyOrder(RunState.ABORTED, RunState.ABORTED);
    }

    @Test
    void whoGivesUpIsNotAskedForAgainThoughTheSubmissionIsTraced() {
        List<@Nullable Throwable> ends = new ArrayList<>();
        RunEngine traced = traced((answer, failure) -> ends.add(failure));
        Submission holder = engine.submit(RunRequest.of(KEY, "ingest"));
        CompletableFuture<Submission> givenUp = traced.submitAsync(
                        RunRequest.of(KEY, "ingest").retryOnConflict(100, Duration.ofMillis(250)))
                .toCompletableFuture();
        world.advance(Duration.ofSeconds(1));
        assertThat(ends).isEmpty();
        givenUp.cancel(false);
        engine.cancel(holder.orElseThrow().id(), "ops", "the key is free now");
        world.advance(Duration.ofSeconds(25));
        assertThat(states()).containsExactly(RunState.ABORTED);
        assertThat(ends).singleElement().isInstanceOf(CancellationException.class);
    }

    @Test
    void aGrantIsNotLostIfItsCallerGivesUpWhileTheTraceIsWritten() {
        AtomicReference<CompletableFuture<Submission>> asked = new AtomicReference<>();
        RunEngine traced = traced((answer, failure) -> asked.get().cancel(false));
        Submission holder = engine.submit(RunRequest.of(KEY, "ingest"));
        asked.set(traced.submitAsync(RunRequest.of(KEY, "ingest").retryOnConflict(100, Duration.ofMillis(250)))
                .toCompletableFuture());
        engine.cancel(holder.orElseThrow().id(), "ops", "the key is free now");
        world.advance(Duration.ofSeconds(1));
        // A caller that was told of none would leave a run that no one ends.
        assertThat(asked.get()).isCancelled();
        assertThat(states()).containsExactlyInAnyOrder(RunState.ABORTED, RunState.ABORTED);
    }

    @Test
    void theTraceOfASubmissionEndsBeforeItsCallerIsTold() {
        List<String> order = new ArrayList<>();
        RunEngine traced = traced((answer, failure) -> order.add("traced"));
        Submission holder = engine.submit(RunRequest.of(KEY, "ingest"));
        traced.submitAsync(RunRequest.of(KEY, "ingest").retryOnConflict(100, Duration.ofMillis(250)))
                .thenAccept(answer -> order.add("told"));
        engine.cancel(holder.orElseThrow().id(), "ops", "the key is free now");
        world.advance(Duration.ofSeconds(1));
        assertThat(order).containsExactly("traced", "told");
    }

    private RunEngine traced(BiConsumer<@Nullable Submission, @Nullable Throwable> ended) {
        Simulation.Host process = world.host();
        return RunEngine.builder(faults.store())
                .environment(process)
                .threads(process.threads(() -> Duration.ZERO))
                .jobs(Jobs.of(Job.named("ingest").build()))
                .tracer(new EndTracer(ended))
                .withoutBooks()
                .build();
    }

    /** Tells how submissions end, and follows nothing else. */
    private record EndTracer(BiConsumer<@Nullable Submission, @Nullable Throwable> ended) implements EngineTracer {

        @Override
        public Submitting submitting(RunRequest request) {
            return new Submitting() {
                @Override
                public RunRequest request() {
                    return request;
                }

                @Override
                public void ended(@Nullable Submission answer, @Nullable Throwable failure) {
                    ended.accept(answer, failure);
                }
            };
        }

        @Override
        public TracedWork working(Run run) {
            throw new UnsupportedOperationException("no work is done here");
        }

        @Override
        public void on(EngineEvent event) {}
    }

    @Test
    void whatOthersMayHaveBeenToldOfGoesOn() {
        CompletableFuture<Submission> givenUp =
                refusedSoFar(RunRequest.of(KEY, "ingest").idempotencyKey("event-7"));
        faults.slowAnswers("submit", () -> givenUp.cancel(false));
        world.advance(Duration.ofSeconds(1));
        assertThat(givenUp).isCancelled();
        assertThat(states()).containsExactlyInAnyOrder(RunState.PENDING, RunState.ABORTED);
    }

    @Test
    void whatTheStoreAcceptsWhileTheEngineClosesIsTold() {
        CompletableFuture<Submission> patient = refusedSoFar(RunRequest.of(KEY, "ingest"));
        faults.slowAnswers("submit", engine::close);
        world.advance(Duration.ofSeconds(1));
        assertThat(patient).isCompletedWithValueMatching(Submission.Started.class::isInstance);
        assertThat(states()).containsExactlyInAnyOrder(RunState.PENDING, RunState.ABORTED);
    }

    @Test
    void whoeverIsRefusedWhileTheEngineClosesIsSentAway() {
        engine.submit(RunRequest.of(KEY, "ingest"));
        CompletableFuture<Submission> patient = again(RunRequest.of(KEY, "ingest"));
        faults.slowAnswers("submit", engine::close);
        world.advance(Duration.ofSeconds(1));
        assertThat(patient).isCompletedExceptionally();
        assertThatThrownBy(patient::join).hasCauseInstanceOf(EngineClosedException.class);
        assertThat(states()).hasSize(1);
    }

    /** Asks while the key is held; it is free for the next time it asks. */
    private CompletableFuture<Submission> refusedSoFar(RunRequest request) {
        Submission holder = engine.submit(RunRequest.of(KEY, "ingest"));
        CompletableFuture<Submission> asking = again(request);
        assertThat(asking).isNotDone();
        engine.cancel(holder.orElseThrow().id(), "ops", "the key is free now");
        return asking;
    }

    private CompletableFuture<Submission> again(RunRequest request) {
        return engine.submitAsync(request.retryOnConflict(100, Duration.ofMillis(250)))
                .toCompletableFuture();
    }

    private List<RunState> states() {
        return engine.list(RunQuery.ofTenant("acme")).runs().stream()
                .map(Run::state)
                .toList();
    }
}
