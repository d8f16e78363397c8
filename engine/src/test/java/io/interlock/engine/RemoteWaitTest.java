package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Holder;
import io.interlock.LockKey;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.JobName;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Workers elsewhere whose wait ends while a question of theirs is on its way. */
class RemoteWaitTest {

    private final MemoryStore memory = new MemoryStore(Environment.system());
    private final FaultyStore faults = new FaultyStore(memory);

    @Test
    void aQuestionUnderWayWhenTheTimeIsOverSettlesTheWait() throws Exception {
        CountDownLatch onItsWay = new CountDownLatch(1);
        CountDownLatch mayArrive = new CountDownLatch(1);
        AtomicInteger looks = new AtomicInteger();
        faults.slowQuestions("claim", () -> {
            // After its own look, the one as the first in line.
            if (looks.incrementAndGet() == 2) {
                onItsWay.countDown();
                awaited(mayArrive);
            }
        });
        try (RunEngine engine = engine(faults)) {
            CompletableFuture<List<Claimed>> claim = claim(engine, 1, "load", Duration.ofMillis(200));
            awaited(onItsWay);
            // A later claim that waits for as long is answered when the time of both is over.
            assertThat(claim(engine, 2, "other", Duration.ofMillis(200)).get(20, TimeUnit.SECONDS))
                    .isEmpty();
            assertThat(claim).as("its answer is still on its way").isNotDone();
            Run submitted = engine.submit(RunRequest.of(LockKey.of("acme", "ledger"), "load"))
                    .orElseThrow();
            mayArrive.countDown();
            assertThat(claim.get(20, TimeUnit.SECONDS))
                    .extracting(claimed -> claimed.run().id())
                    .containsExactly(submitted.id());
        }
    }

    @Test
    void whatIsGrantedAfterAWaitWasGivenUpIsLeftToWhoeverAsksAgainElsewhere() throws Exception {
        CountDownLatch granted = new CountDownLatch(1);
        CountDownLatch mayArrive = new CountDownLatch(1);
        faults.slowAnswers("claim", () -> {
            granted.countDown();
            awaited(mayArrive);
        });
        try (RunEngine second = engine(new FaultyStore(memory))) {
            Run run = second.submit(RunRequest.of(LockKey.of("acme", "ledger"), "load"))
                    .orElseThrow();
            Claimed mine;
            try (RunEngine first = engine(faults)) {
                CompletableFuture<List<Claimed>> claim = claim(first, 1, "load", Duration.ofSeconds(20));
                awaited(granted);
                // Its connection is lost, or its node stops and sends everybody to another.
                claim.cancel(false);
                mine = claim(second, 1, "load", Duration.ofSeconds(20))
                        .get(20, TimeUnit.SECONDS)
                        .get(0);
                mayArrive.countDown();
                // When a later wait there is over, the late answer has been heard.
                claim(first, 3, "other", Duration.ofMillis(100)).get(20, TimeUnit.SECONDS);
            }
            RemoteWork.Proof proof = new RemoteWork.Proof(
                    run.id(), run.key(), mine.lease().id(), mine.lease().token());
            assertThat(second.remote()
                            .heartbeat(proof, null, null)
                            .toCompletableFuture()
                            .get(20, TimeUnit.SECONDS))
                    .isInstanceOf(HeartbeatAnswer.Beating.class);
            assertThat(claim(second, 2, "load", Duration.ZERO).get(20, TimeUnit.SECONDS))
                    .isEmpty();
        }
    }

    private static RunEngine engine(FaultyStore store) {
        RetryPlan thrice = new RetryPlan(3, Duration.ofMillis(1), 1, Duration.ofMillis(1));
        return RunEngine.builder(store.store())
                .jobs(Jobs.of(
                        Job.named("load").retry(thrice).build(),
                        Job.named("other").build()))
                .pollEvery(Duration.ofMinutes(1))
                .slots(0)
                .build();
    }

    private static CompletableFuture<List<Claimed>> claim(RunEngine engine, int number, String job, Duration wait) {
        RemoteWork.Claim claim = new RemoteWork.Claim(
                new UUID(9, number), new Holder("far", "far away"), "acme", Set.of(new JobName(job)), 5);
        return engine.remote().claim(claim, wait).toCompletableFuture();
    }

    private static void awaited(CountDownLatch event) {
        try {
            assertThat(event.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new AssertionError(stopped);
        }
    }
}
