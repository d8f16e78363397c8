package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.WorkerEngine.WorkSource;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.spi.ChangeFeed;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers without anything else around them. */
@Timeout(60)
class WorkerEngineTest {

    private static final LockKey KEY = LockKey.of("acme", "ledger");

    @Test
    void workersDoWhatOthersSubmitAndLeaveTheStoreOpen() throws Exception {
        MemoryStore store = new MemoryStore(Environment.system());
        Job job = Job.named("close")
                .handler(run -> {
                    run.output("said");
                    return "{}";
                })
                .build();
        try (RunEngine engine = idle(store, job)) {
            RunId id = submit(engine);
            try (WorkerEngine workers = WorkerEngine.builder(WorkSource.of(store))
                    .jobs(Jobs.of(job))
                    .slots(2)
                    .build()) {
                assertThat(engine.awaitEnd(id, Duration.ofSeconds(30))
                                .orElseThrow()
                                .state())
                        .isEqualTo(RunState.SUCCEEDED);
                assertThat(workers.jobs().all()).containsExactly(job);
                assertThat(workers.workers().slots()).isEqualTo(2);
            }
            assertThat(engine.queries().outputs(id)).containsEntry(1, "said");
        }
    }

    @Test
    void whatIsUnderWayEndsBeforeTheWorkersAreGone() {
        MemoryStore store = new MemoryStore(Environment.system());
        AtomicReference<WorkerEngine> workers = new AtomicReference<>();
        Job job = Job.named("close")
                .handler(run -> {
                    await().until(() ->
                            workers.get() != null && !workers.get().workers().claiming());
                    return "{}";
                })
                .build();
        try (RunEngine engine = idle(store, job)) {
            RunId id = submit(engine);
            WorkerEngine closing = WorkerEngine.builder(WorkSource.of(store))
                    .jobs(Jobs.of(job))
                    .build();
            await().until(() -> closing.workers().busy() == 1);
            workers.set(closing);
            closing.close();
            assertThat(engine.find(id).orElseThrow().state()).isEqualTo(RunState.SUCCEEDED);
            RunId left = submit(engine);
            closing.close();
            assertThat(engine.find(left).orElseThrow().state()).isEqualTo(RunState.PENDING);
        }
    }

    @Test
    void withoutWakeUpsAStopIsHeardByTheNextHeartbeat() {
        Simulation world = new Simulation(1);
        MemoryStore store = new MemoryStore(world.host());
        List<EngineEvent> told = new ArrayList<>();
        Job job = Job.named("close").handler(run -> "{}").build();
        Simulation.Host process = world.host();
        WorkerEngine.builder(
                        new WorkSource(new FaultyStore(store).silent().store().work(), ChangeFeed.SILENT, 1))
                .environment(process)
                .threads(process.threads(() -> Duration.ofMinutes(5)))
                .jobs(Jobs.of(job))
                .listener(told::add)
                .build();
        Simulation.Host other = world.host();
        RunEngine engine = RunEngine.builder(store)
                .environment(other)
                .threads(other.threads(() -> Duration.ZERO))
                .jobs(Jobs.of(job))
                .slots(0)
                .build();
        RunId id = submit(engine);
        world.advance(Duration.ofSeconds(2));
        engine.cancel(id, "ann", "wrong month");
        assertThat(stops(told)).isEmpty();
        world.advance(job.terms().ttl().dividedBy(2));
        assertThat(stops(told)).extracting(StopRequest::code).containsExactly(RunError.CANCELLED);
    }

    private static List<StopRequest> stops(List<EngineEvent> told) {
        return told.stream()
                .filter(EngineEvent.StopPassedOn.class::isInstance)
                .map(event -> ((EngineEvent.StopPassedOn) event).stop())
                .toList();
    }

    private static RunEngine idle(MemoryStore store, Job job) {
        return RunEngine.builder(store)
                .jobs(Jobs.of(job))
                .slots(0)
                .withoutBooks()
                .build();
    }

    private static RunId submit(RunEngine engine) {
        return engine.submit(RunRequest.of(KEY, "close")).orElseThrow().id();
    }
}
