package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.Holder;
import io.interlock.run.JobName;
import io.interlock.run.WorkerNote;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** Workers in other processes that go by many names. */
class RemoteNamesTest {

    private static final int CROWD = 1100;

    @Test
    void whoGoesByEverNewNamesKeepsNobodyElseFromBeingNoted() {
        FaultyStore faults = new FaultyStore(new MemoryStore(Environment.system()));
        Semaphore answers = new Semaphore(0);
        faults.slowAnswers("noteWorker", answers::acquireUninterruptibly);
        try (RunEngine engine = RunEngine.builder(faults.store())
                .jobs(Jobs.of(Job.named("load").build()))
                .slots(0)
                .build()) {
            try {
                for (int name = 0; name < CROWD; name++) {
                    asks(engine, "acme", name);
                }
                asks(engine, "globex", CROWD);
                // One of the crowd is being noted; the other tenant is not behind all of them.
                answers.release(2);
                await().until(() -> noted(engine, "globex") == 1);
                assertThat(faults.calls("noteWorker")).isLessThanOrEqualTo(3);
            } finally {
                answers.release(2 * CROWD);
            }
            await().until(() -> noted(engine, "acme") == WorkerNote.MOST_REMOTE);
        }
    }

    private static int noted(RunEngine engine, String tenant) {
        return engine.queries().workers(tenant, Duration.ofHours(1), CROWD).size();
    }

    private static void asks(RunEngine engine, String tenant, int number) {
        engine.remote()
                .claim(
                        new RemoteWork.Claim(
                                new UUID(9, number),
                                new Holder("name " + number, "far away"),
                                tenant,
                                Set.of(new JobName("load")),
                                1),
                        Duration.ZERO)
                .toCompletableFuture()
                .join();
    }
}
