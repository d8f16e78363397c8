package io.interlock.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.Retention;
import io.interlock.run.Run;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.tck.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The cost of a step does not grow with queues, keys and history. A store that read all of them in every step would
 * need many minutes here.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MemoryScaleTest {

    private static final int MANY = 50_000;
    private static final int STEPS = 500;
    private static final JobName JOB = new JobName("load");

    private final ManualTime time = new ManualTime();
    private final MemoryStore store = new MemoryStore(time);
    private int names;

    @Test
    void aLongQueueIsAsFastAsAShortOne() {
        for (int i = 0; i < MANY; i++) {
            submit("one", i % 7);
        }
        int before = 0;
        for (int step = 0; step < STEPS; step++) {
            submit("one", step % 7);
            Claimed work = claim(1).get(0);
            assertThat(work.run().spec().priority()).isIn(0, 6);
            finish(work);
            before++;
        }
        assertThat(store.queries().queue(key("one"))).hasSize(MANY - 1);
        assertThat(before).isEqualTo(STEPS);
    }

    @Test
    void keysWithNothingDueCostAClaimNothing() {
        store.runs().pause(new PauseRequest("acme", "waiting/*", "carol", "upgrade", null));
        for (int i = 0; i < MANY; i++) {
            submit("waiting/" + i, 0);
        }
        for (int step = 0; step < STEPS; step++) {
            submit("next", 0);
            finish(claim(1).get(0));
            assertThat(store.upkeep().sweepRuns(100)).isEmpty();
        }
    }

    @Test
    void oneClaimFindsWhatIsBehindAnyNumberOfPausedRuns() {
        for (int i = 0; i < MANY; i++) {
            submit("paused/" + i, 5);
        }
        store.runs().pause(new PauseRequest("acme", "paused/*", "carol", "upgrade", null));
        for (int step = 0; step < STEPS; step++) {
            Run next = submit("next", 0);
            List<Claimed> claimed = claim(1);
            assertThat(claimed).extracting(work -> work.run().id()).containsExactly(next.id());
            finish(claimed.get(0));
        }
        store.runs().resume(new ResumeRequest("acme", "paused/*", "carol", "done"));
        int begun = 0;
        for (List<Claimed> page = claim(100); !page.isEmpty(); page = claim(100)) {
            begun += page.size();
        }
        assertThat(begun).isEqualTo(MANY);
    }

    @Test
    void oldHistoryCostsNothing() {
        for (int i = 0; i < MANY; i++) {
            submit("key-" + i % 100, 0);
            finish(claim(1).get(0));
        }
        for (int step = 0; step < STEPS; step++) {
            Run run = submit("key-1", 0);
            submit("key-1", 0);
            assertThat(store.queries().explain(run.id())).isEmpty();
            assertThat(store.views().runCounts()).isNotEmpty();
            assertThat(store.upkeep().forget(Retention.DEFAULT, 100).runs()).isZero();
            finish(claim(1).get(0));
            finish(claim(1).get(0));
        }
        time.advance(Duration.ofDays(31));
        assertThat(store.upkeep().forget(Retention.DEFAULT, 100).runs()).isEqualTo(100);
    }

    private Run submit(String name, int priority) {
        RunId id = new RunId(new UUID(7, ++names));
        RunSpec spec = RunSpec.of(JOB, "alice").policy(ConflictPolicy.QUEUE).priority(priority);
        SubmitAnswer answer = store.runs()
                .submit(List.of(SubmitRequest.of(id, key(name), spec)))
                .only();
        return answer instanceof SubmitAnswer.Queued queued ? queued.run() : ((SubmitAnswer.Started) answer).run();
    }

    private List<Claimed> claim(int max) {
        UUID id = new UUID(8, ++names);
        return store.work().claim(new ClaimRequest(id, new Holder("host/1", "worker"), null, Set.of(JOB), max));
    }

    private void finish(Claimed work) {
        store.work()
                .finish(List.of(new FinishRequest(
                        work.run().id(),
                        work.run().key(),
                        work.lease().id(),
                        work.lease().token(),
                        new Ending.Succeeded(null))));
    }

    private static LockKey key(String name) {
        return LockKey.of("acme", name);
    }
}
