package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.tck.process.FencedCounter;
import io.interlock.tck.process.WorkerProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Other processes, some of which are killed or paused. In real time, with the shortest lease. */
interface ProcessContract extends Contract {

    /** Time to live of what the workers hold. */
    Duration SHORT = Duration.ofSeconds(2);

    @Test
    @Tag("processes")
    default void processesThatCountUnderTheLockLoseNoUpdate(@TempDir Path directory) throws Exception {
        MutualExclusionProbe.Result result =
                MutualExclusionProbe.processes(url(), key("counter"), 3, 15, directory.resolve("number"));
        assertThat(result.counted()).isEqualTo(result.turns());
    }

    @Test
    @Tag("processes")
    default void theKeyOfAKilledHolderIsFreeAfterItsLease(@TempDir Path directory) throws Exception {
        FencedCounter resource = new FencedCounter(directory.resolve("resource"));
        try (WorkerProcess holder = WorkerProcess.start(url()).ready()) {
            LeaseRecord old = granted(key("killed"), holder.ask("hold acme:killed 2s"));
            assertThat(holder.ask("write " + directory.resolve("resource"))).isEqualTo("written");
            client().refusal(key("killed"));
            holder.kill();

            LeaseRecord current = takeWithin(SHORT.plusSeconds(8), key("killed"));
            assertThat(current.token()).isGreaterThan(old.token());
            assertThat(resource.add(current.token(), 1)).isTrue();
            assertThat(resource.add(old.token(), 1))
                    .as("a late write of the killed")
                    .isFalse();
            assertThat(resource.number()).isEqualTo(2);
            client().lost(old);
            assertThat(client().release(old)).isInstanceOf(ReleaseAnswer.Gone.class);
            client().holds(current);
        }
    }

    @Test
    @Tag("processes")
    default void aHolderThatSleptThroughItsLeaseIsToldAndHarmsNobody(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("resource");
        try (WorkerProcess sleeper = WorkerProcess.start(url()).ready()) {
            LeaseRecord old = granted(key("slept"), sleeper.ask("hold acme:slept 2s"));
            assertThat(sleeper.ask("state")).isEqualTo("held");
            sleeper.pause();
            LeaseRecord current = takeWithin(SHORT.plusSeconds(8), key("slept"));
            assertThat(current.token()).isGreaterThan(old.token());
            assertThat(new FencedCounter(file).add(current.token(), 1)).isTrue();

            sleeper.resume();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(10))
                    .pollInterval(Duration.ofMillis(50))
                    .untilAsserted(() ->
                            assertThat(sleeper.ask("state")).startsWith("lost ").isNotEqualTo("lost null"));
            assertThat(sleeper.ask("renew")).isEqualTo("lost GONE");
            assertThat(sleeper.ask("release")).isEqualTo("gone");
            assertThat(sleeper.ask("write " + file)).isEqualTo("stale");
            assertThat(new FencedCounter(file).number()).isEqualTo(1);
            client().holds(current);
            client().released(current);
        }
    }

    @Test
    @Tag("processes")
    default void aProcessThatWaitsIsServedWhenAnotherReleases() throws Exception {
        try (WorkerProcess waiter = WorkerProcess.start(url()).ready()) {
            LeaseRecord lease = client().take(key("handed-on"));
            assertThat(waiter.ask("take acme:handed-on 2s"))
                    .startsWith("refused")
                    .contains("worker on host-1");
            waiter.tell("wait acme:handed-on 30s 40s");
            client().released(lease);
            LeaseRecord next = granted(key("handed-on"), waiter.answer());
            assertThat(next.token()).isGreaterThan(lease.token());
            assertThat(waiter.ask("release")).isEqualTo("released");
        }
    }

    private String url() {
        return bench().harness().url().orElseGet(() -> abort("this store reaches no other process"));
    }

    private LeaseRecord takeWithin(Duration time, LockKey key) {
        AcquireAnswer answer = Awaitility.await("the key to be free")
                .atMost(time)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> client().ask(Asking.forKey(key)), AcquireAnswer.Granted.class::isInstance);
        return ((AcquireAnswer.Granted) answer).grants().get(0).lease();
    }

    /** The lease a worker says it was granted. */
    private LeaseRecord granted(LockKey key, String answer) {
        assertThat(answer).startsWith("granted ");
        String[] words = answer.split(" ", -1);
        LeaseRecord found = client().find(key).orElseThrow();
        assertThat(found.token()).isEqualTo(new FencingToken(Long.parseLong(words[1])));
        assertThat(found.id()).isEqualTo(LeaseId.parse(words[2]));
        return found;
    }
}
