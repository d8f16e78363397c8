package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a worker takes more work. */
@Timeout(60)
class SlotsTest {

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger planned = new AtomicInteger();

    @Test
    void aSlotIsFreeOnceItsWorkHasEndedAndEndsOnTheirWayAreLimited() {
        FaultyStore faults = new FaultyStore(new MemoryStore(Environment.system()));
        CountDownLatch answer = new CountDownLatch(1);
        faults.slowQuestions("finish", () -> hang(answer));
        try (RunEngine engine = RunEngine.builder(faults.store())
                .jobs(Jobs.of(counting()))
                .slots(2)
                .build()) {
            submit(engine, 6);
            await().until(() -> begun.get() == 4 && engine.workers().busy() == 0);
            int before = begun.get();
            answer.countDown();
            assertThat(before)
                    .as("two slots, and two ends that the store has not heard of")
                    .isEqualTo(4);
            await().until(() -> begun.get() == 6);
        }
    }

    @Test
    void whileThereIsMoreWorkThanSlotsAClaimTakesSeveralRuns() {
        Simulation world = new Simulation(4711);
        Simulation.Host process = world.host();
        FaultyStore faults = new FaultyStore(new MemoryStore(world.host())).silent();
        try (RunEngine engine = RunEngine.builder(faults.store())
                .environment(process)
                .threads(process.threads(() -> Duration.ofSeconds(1).plusNanos(100_000L * planned.incrementAndGet())))
                .jobs(Jobs.of(counting()))
                .slots(16)
                .build()) {
            faults.down("claim");
            submit(engine, 160);
            faults.up();
            int before = faults.calls("claim");
            while (begun.get() < 160) {
                world.advance(Duration.ofMillis(100));
            }
            assertThat(faults.calls("claim") - before)
                    .as("two for sixteen runs, and polls")
                    .isLessThan(40);
        }
    }

    @Test
    void aSlotGoesOnWithTheNextRunOfItsKeyForAMoment() {
        assertThat(claimsForTwentyRunsOfOneKey(Duration.ofMillis(5)))
                .as("the ends of runs bring the next ones")
                .isLessThan(5);
        assertThat(claimsForTwentyRunsOfOneKey(Duration.ofSeconds(1)))
                .as("runs of other keys may have waited for the slot")
                .isGreaterThan(10);
    }

    @Test
    void runsThatAreOverSoonNeedNoHeartbeat() {
        Simulation world = new Simulation(4711);
        FaultyStore faults = new FaultyStore(new MemoryStore(world.host())).silent();
        runsOfOneKey(world, faults, 1_000, Duration.ofMillis(5));
        assertThat(faults.calls("heartbeat")).isZero();
    }

    private int claimsForTwentyRunsOfOneKey(Duration each) {
        Simulation world = new Simulation(4711);
        FaultyStore faults = new FaultyStore(new MemoryStore(world.host())).silent();
        return runsOfOneKey(world, faults, 20, each);
    }

    /** How many claims they need. */
    private int runsOfOneKey(Simulation world, FaultyStore faults, int runs, Duration each) {
        begun.set(0);
        Simulation.Host process = world.host();
        try (RunEngine engine = RunEngine.builder(faults.store())
                .environment(process)
                .threads(process.threads(() -> each))
                .jobs(Jobs.of(counting()))
                .slots(1)
                .build()) {
            faults.down("claim");
            for (int i = 0; i < runs; i++) {
                engine.submit(RunRequest.of(LockKey.of("acme", "line"), "load").onConflict(ConflictPolicy.QUEUE));
            }
            faults.up();
            int before = faults.calls("claim");
            while (begun.get() < runs) {
                world.advance(Duration.ofMillis(1));
            }
            return faults.calls("claim") - before;
        }
    }

    private Job counting() {
        return Job.named("load")
                .handler(run -> {
                    begun.incrementAndGet();
                    return null;
                })
                .build();
    }

    private static void submit(RunEngine engine, int runs) {
        for (int i = 0; i < runs; i++) {
            engine.submit(RunRequest.of(LockKey.of("acme", "key/" + i), "load"));
        }
    }

    private static void hang(CountDownLatch answer) {
        try {
            answer.await();
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }
}
