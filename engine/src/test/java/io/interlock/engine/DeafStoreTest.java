package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.run.Run;
import io.interlock.store.memory.MemoryStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A store that allows no listener for a while, in a world where time passes only when the test says so. */
class DeafStoreTest {

    private final Simulation world = new Simulation(1);
    private final Simulation.Host host = world.host();
    private final FaultyStore faults = new FaultyStore(new MemoryStore(world.host()));

    @Test
    void whoeverWaitsForAnEndListensOnceTheStoreAllowsItAgain() {
        try (RunEngine engine = RunEngine.builder(faults.store())
                .environment(host)
                .threads(host.threads(() -> Duration.ZERO))
                .jobs(Jobs.of(Job.named("ingest").build()))
                .withoutBooks()
                .build()) {
            Run run = engine.submit(RunRequest.of(LockKey.of("acme", "event/7"), "ingest"))
                    .orElseThrow();
            faults.down("changes");
            CompletableFuture<Optional<Run>> end =
                    engine.awaitEndAsync(run.id(), Duration.ofMinutes(1)).toCompletableFuture();
            world.advance(Duration.ofSeconds(3));
            faults.up();
            int before = faults.calls("changes");
            world.advance(Duration.ofSeconds(10));
            assertThat(end).isNotDone();
            assertThat(faults.calls("changes") - before)
                    .as("asked once more, and heard")
                    .isEqualTo(1);
        }
    }
}
