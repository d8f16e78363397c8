package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.engine.EngineEvent.EngineListener;
import io.interlock.run.Run;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ListenerTest {

    private final MemoryStore store = new MemoryStore(Environment.system());
    private final Jobs jobs = Jobs.of(Job.named("load")
            .handler(run -> {
                run.stage("copy");
                return "{}";
            })
            .build());

    @Test
    void allThatHappensIsToldInItsOrder() throws Exception {
        ConcurrentLinkedQueue<EngineEvent> events = new ConcurrentLinkedQueue<>();
        try (RunEngine engine =
                RunEngine.builder(store).jobs(jobs).listener(events::add).build()) {
            Run run = engine.submit(RunRequest.of(LockKey.of("ledger"), "load")).orElseThrow();
            engine.awaitEnd(run.id(), Duration.ofSeconds(20));
        }
        await().until(() -> events.stream().anyMatch(EngineEvent.AttemptEnded.class::isInstance));
        assertThat(events.stream()
                        .map(event -> event.getClass().getSimpleName())
                        .filter(name -> !name.equals("RunSubmitted")))
                .as("told by the worker; the submitter's word may come in between")
                .containsExactly("RunStarted", "StageEntered", "AttemptEnded");
    }

    @Test
    void aListenerThatHangsHoldsUpNeitherRunsNorOtherListenersAndMissesTheOldest() throws Exception {
        CountDownLatch mayGo = new CountDownLatch(1);
        ConcurrentLinkedQueue<EngineEvent> slow = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<EngineEvent> quick = new ConcurrentLinkedQueue<>();
        EngineListener hanging = event -> {
            try {
                mayGo.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            slow.add(event);
        };
        try (RunEngine engine = RunEngine.builder(store)
                .jobs(jobs)
                .listener(hanging)
                .listener(quick::add)
                .build()) {
            List<Run> runs = IntStream.range(0, 600)
                    .mapToObj(i -> engine.submit(RunRequest.of(LockKey.of("ledger/" + i), "load"))
                            .orElseThrow())
                    .toList();
            for (Run run : runs) {
                assertThat(engine.awaitEnd(run.id(), Duration.ofSeconds(20))
                                .orElseThrow()
                                .state())
                        .isEqualTo(RunState.SUCCEEDED);
            }
            await().until(() -> quick.size() == 4 * 600);
            assertThat(engine.missedEvents()).isPositive();
            mayGo.countDown();
            await().until(() -> slow.size() + engine.missedEvents() == 4 * 600);
        }
    }
}
