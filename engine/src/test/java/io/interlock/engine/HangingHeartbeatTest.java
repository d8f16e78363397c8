package io.interlock.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.run.RunSpec.Execution;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store that does not answer to one heartbeat. */
@Timeout(60)
class HangingHeartbeatTest {

    @Test
    void aHeartbeatThatHangsHoldsUpNoOther() {
        FaultyStore faults = new FaultyStore(new MemoryStore(Environment.system()));
        CountDownLatch mayGo = new CountDownLatch(1);
        faults.slowAnswers("heartbeat", () -> {
            if (faults.calls("heartbeat") == 1) {
                hang(mayGo);
            }
        });
        try (RunEngine engine = RunEngine.builder(faults.store()).build();
                CallerRun first = begun(engine, "first")) {
            await().until(() -> faults.calls("heartbeat") == 1);
            try (CallerRun second = begun(engine, "second")) {
                await().until(() -> faults.calls("heartbeat") > 3);
                assertThat(second.stopping()).isEmpty();
            } finally {
                mayGo.countDown();
            }
        }
    }

    @Test
    void theStoreIsClosedAfterTheLastHeartbeatHasItsAnswer() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        List<String> order = new CopyOnWriteArrayList<>();
        FaultyStore faults = new FaultyStore(new MemoryStore(Environment.system())).silent();
        faults.slowQuestions("heartbeat", () -> {
            begun.countDown();
            // Long enough for an engine that does not wait to be closed before.
            await().pollDelay(Duration.ofMillis(300)).until(() -> true);
            order.add("heartbeat");
        });
        faults.slowQuestions("close", () -> order.add("store closed"));
        RunEngine engine = RunEngine.builder(faults.store()).closingStore().build();
        CallerRun work = begun(engine, "last");
        begun.await();
        work.close();
        engine.close();
        assertThat(order).containsExactly("heartbeat", "store closed");
    }

    private static void hang(CountDownLatch mayGo) {
        try {
            mayGo.await();
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    private static CallerRun begun(RunEngine engine, String key) {
        Submission answer = engine.submit(RunRequest.of(LockKey.of("acme", key), "by-hand")
                .execution(Execution.CALLER)
                .lease(Duration.ofSeconds(2)));
        return requireNonNull(((Submission.Started) answer).work());
    }
}
