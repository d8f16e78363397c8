package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.engine.RunHandler.WorkGoesOnException;
import io.interlock.run.Run;
import io.interlock.store.memory.MemoryStore;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Handlers that give up work which goes on elsewhere, in a world where time passes only when the test says so. */
class WorkElsewhereTest {

    private static final LockKey KEY = LockKey.of("acme", "invoice");

    private final Simulation world = new Simulation(1);

    @Test
    void theKeyIsKeptHoweverAFutureWrapsIt() {
        WorkGoesOnException elsewhere = new WorkGoesOnException("the other side may work on", null);
        assertThat(afterThrowing(elsewhere).state()).isEqualTo(RunState.RUNNING);
        assertThat(afterThrowing(new CompletionException(elsewhere)).state()).isEqualTo(RunState.RUNNING);
        assertThat(afterThrowing(new ExecutionException(new CompletionException(elsewhere)))
                        .state())
                .isEqualTo(RunState.RUNNING);
    }

    private Run afterThrowing(Exception failure) {
        Simulation.Host host = world.host();
        Job job = Job.named("post")
                .lease(Duration.ofSeconds(30))
                .handler(run -> {
                    throw failure;
                })
                .build();
        RunEngine engine = RunEngine.builder(
                        new FaultyStore(new MemoryStore(host)).silent().store())
                .environment(host)
                .threads(host.threads(() -> Duration.ZERO))
                .jobs(Jobs.of(job))
                .withoutBooks()
                .build();
        Run run = engine.submit(RunRequest.of(KEY, "post")).orElseThrow();
        world.advance(Duration.ofSeconds(10));
        assertThat(engine.workers().busy()).isZero();
        return engine.find(run.id()).orElseThrow();
    }
}
