package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Holder;
import io.interlock.LockKey;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.store.memory.MemoryHarness;
import io.interlock.store.memory.MemoryStore;
import io.interlock.tck.RunStoreHarness;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MemoryRemoteTest extends RemoteContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new MemoryHarness();
    }

    // What is on its way when a worker goes away is its own, so the looks are counted: here, where that is possible.
    @Test
    void aWorkerThatHasGoneAwayTakesNoWork() throws Exception {
        FaultyStore faults = new FaultyStore(new MemoryStore(Environment.system()));
        CountDownLatch looks = new CountDownLatch(2);
        faults.slowAnswers("claim", looks::countDown);
        try (RunEngine engine = RunEngine.builder(faults.store())
                .jobs(Jobs.of(Job.named("load").build()))
                .pollEvery(Duration.ofMinutes(1))
                .slots(0)
                .build()) {
            CompletableFuture<List<Claimed>> gone = claim(engine, 1);
            assertThat(looks.await(20, TimeUnit.SECONDS))
                    .as("its own look, and the first one in line")
                    .isTrue();
            gone.cancel(false);
            CompletableFuture<List<Claimed>> there = claim(engine, 2);
            Run submitted = engine.submit(RunRequest.of(LockKey.of("acme", "ledger"), "load"))
                    .orElseThrow();
            assertThat(there.get(20, TimeUnit.SECONDS))
                    .extracting(claimed -> claimed.run().id())
                    .containsExactly(submitted.id());
        }
    }

    private static CompletableFuture<List<Claimed>> claim(RunEngine engine, int number) {
        RemoteWork.Claim claim = new RemoteWork.Claim(
                new UUID(9, number), new Holder("far", "far away"), "acme", Set.of(new JobName("load")), 5);
        return engine.remote().claim(claim, Duration.ofSeconds(30)).toCompletableFuture();
    }
}
