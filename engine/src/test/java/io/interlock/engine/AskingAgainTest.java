package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.run.RunQuery;
import io.interlock.store.memory.MemoryStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Whoever is refused and asks again, in a world where time passes only when the test says so. */
class AskingAgainTest {

    private static final LockKey KEY = LockKey.of("acme", "event/7");

    private final Simulation world = new Simulation(1);
    private final Simulation.Host host = world.host();
    private final RunEngine engine = RunEngine.builder(
                    new FaultyStore(new MemoryStore(world.host())).silent().store())
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
}
