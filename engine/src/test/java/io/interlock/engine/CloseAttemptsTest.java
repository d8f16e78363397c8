package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.RetryPlan;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Attempts of one run that follow each other closely. */
@Timeout(60)
class CloseAttemptsTest {

    private final CountDownLatch second = new CountDownLatch(1);
    private final List<EngineEvent> told = new CopyOnWriteArrayList<>();

    @Test
    void theEndOfAnAttemptIsToldThoughTheNextOneBeginsBeforeItIsHeard() {
        FaultyStore store = new FaultyStore(new MemoryStore(Environment.system()));
        store.slowAnswers("finish", () -> await().until(() -> second.getCount() == 0));
        Job job = Job.named("close")
                .retry(new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO))
                .handler(run -> {
                    if (run.attempt() == 1) {
                        throw new IllegalStateException("away");
                    }
                    second.countDown();
                    return null;
                })
                .build();
        try (RunEngine engine = RunEngine.builder(store.store())
                .jobs(Jobs.of(job))
                .listener(told::add)
                .build()) {
            engine.submit(RunRequest.of(LockKey.of("acme", "ledger"), "close"));
            await().until(() -> ends().contains(RunState.SUCCEEDED));
            assertThat(ends()).hasSize(2);
        }
    }

    private List<RunState> ends() {
        return told.stream()
                .filter(EngineEvent.AttemptEnded.class::isInstance)
                .map(event -> ((EngineEvent.AttemptEnded) event).run().state())
                .toList();
    }
}
