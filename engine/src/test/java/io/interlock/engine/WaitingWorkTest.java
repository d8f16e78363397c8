package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Work that takes no slot, because it only waits for other runs. */
@Timeout(60)
class WaitingWorkTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int SLOTS = 2;
    private static final int LIMIT = 16;
    private static final int RUNS = 3 * LIMIT;

    private final CountDownLatch mayGo = new CountDownLatch(1);
    private final AtomicInteger now = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    @Test
    void thereIsALimitForWorkThatTakesNoSlotAndNothingElseWaitsForIt() throws Exception {
        Job flow = Job.named("flow").handler(new Waiting()).build();
        Job load = Job.named("load").handler(run -> "{}").build();
        try (RunEngine engine = RunEngine.builder(new MemoryStore(Environment.system()))
                .jobs(Jobs.of(flow, load))
                .pollEvery(Duration.ofMillis(50))
                .slots(SLOTS)
                .build()) {
            List<RunId> flows = new ArrayList<>();
            for (int i = 0; i < RUNS; i++) {
                flows.add(submit(engine, "flow", i));
            }
            // In line behind all of them.
            RunId last = submit(engine, "load", 0);
            try {
                assertThat(end(engine, last)).isEqualTo(RunState.SUCCEEDED);
                assertThat(most.get()).isBetween(SLOTS + 1, LIMIT);
            } finally {
                mayGo.countDown();
            }
            for (RunId id : flows) {
                assertThat(end(engine, id)).isEqualTo(RunState.SUCCEEDED);
            }
            assertThat(most.get()).isLessThanOrEqualTo(LIMIT);
        }
    }

    @Test
    void workThatCannotSayWhetherItTakesASlotTakesOne() throws Exception {
        RunHandler odd = new RunHandler() {
            @Override
            public String run(RunContext context) {
                return "{}";
            }

            @Override
            public boolean takesSlot() {
                throw new IllegalStateException("not set up yet");
            }
        };
        Job job = Job.named("odd").handler(odd).build();
        try (RunEngine engine = RunEngine.builder(new MemoryStore(Environment.system()))
                .jobs(Jobs.of(job))
                .drainTime(Duration.ZERO)
                .build()) {
            assertThat(end(engine, submit(engine, "odd", 0))).isEqualTo(RunState.SUCCEEDED);
        }
    }

    private static RunId submit(RunEngine engine, String job, int number) {
        return engine.submit(RunRequest.of(LockKey.of("acme", job + "/" + number), job))
                .orElseThrow()
                .id();
    }

    private static RunState end(RunEngine engine, RunId id) throws InterruptedException {
        return engine.awaitEnd(id, SOON).orElseThrow().state();
    }

    private final class Waiting implements RunHandler {

        @Override
        public String run(RunContext context) throws InterruptedException {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            try {
                mayGo.await();
            } finally {
                now.decrementAndGet();
            }
            return "{}";
        }

        @Override
        public boolean takesSlot() {
            return false;
        }
    }
}
