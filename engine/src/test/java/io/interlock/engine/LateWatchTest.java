package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.InterceptedStore;
import io.interlock.spi.run.RunStore;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker begins to watch the key of its run only after another process has asked the run to stop, so it is not woken for that. */
@Timeout(60)
class LateWatchTest {

    private final CountDownLatch asked = new CountDownLatch(1);

    @Test
    void aRequestToStopFromBeforeTheWatchIsHeardLongBeforeTheNextHeartbeat() throws Exception {
        RunStore shared = new MemoryStore(Environment.system());
        RunStore late = InterceptedStore.of(
                shared,
                RunStore.class,
                call -> call.step().equals("changes")
                        ? (ChangeFeed) (key, look) -> {
                            awaitRequest();
                            return shared.changes().watch(key, look);
                        }
                        : call.proceed());
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        Job job = Job.named("load")
                // A third of it is between two heartbeats.
                .lease(Duration.ofMinutes(5))
                .handler(run -> {
                    run.onStop(stopped::countDown);
                    begun.countDown();
                    stopped.await();
                    return null;
                })
                .build();
        try (RunEngine worker = RunEngine.builder(late).jobs(Jobs.of(job)).build();
                RunEngine other =
                        RunEngine.builder(shared).jobs(Jobs.of(job)).slots(0).build()) {
            Run run = other.submit(RunRequest.of(LockKey.of("acme", "ledger"), "load"))
                    .orElseThrow();
            begun.await();
            other.cancel(run.id(), "alice", "not needed");
            asked.countDown();
            assertThat(stopped.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(other.awaitEnd(run.id(), Duration.ofSeconds(20)))
                    .map(Run::state)
                    .contains(RunState.ABORTED);
        }
    }

    private void awaitRequest() {
        try {
            asked.await();
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(Objects.requireNonNull(closed.getMessage(), "closed"));
        }
    }
}
