package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.DurationText;
import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.tck.process.FencedCounter;
import io.interlock.tck.process.WorkerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several processes, some of which are killed or paused. In real time, with the shortest lease. */
interface ProcessContract extends Contract {

    /** The ttl of the workers' leases. */
    Duration SHORT = Duration.ofSeconds(2);

    /**
     * The time from the end of a lease until a process that polls five times a second gets the key, on a slow machine.
     */
    Duration MARGIN = Duration.ofSeconds(2);

    @Test
    @Tag("processes")
    default void processesThatCountUnderTheLockLoseNoUpdate(@TempDir Path directory) throws Exception {
        MutualExclusionProbe.Result result =
                MutualExclusionProbe.processes(bench().workers(3), key("counter"), 15, directory.resolve("number"));
        assertThat(result.counted()).isEqualTo(result.turns());
    }

    @Test
    @Tag("processes")
    default void theKeyOfAKilledHolderGoesToAnotherProcessWhenItsLeaseEnds(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("resource");
        List<WorkerProcess> workers = bench().workers(2);
        WorkerProcess holder = workers.get(0);
        WorkerProcess successor = workers.get(1);
        LeaseRecord old = granted(key("killed"), holder.ask("hold acme:killed 2s"));
        assertThat(holder.ask("write " + file)).isEqualTo("written");
        successor.tell("wait acme:killed 2s " + patience());
        holder.kill();
        LeaseRecord left = client().find(key("killed")).orElseThrow();
        assertThat(left.remaining()).isLessThanOrEqualTo(SHORT);

        LeaseRecord current = granted(key("killed"), successor.answer());
        assertThat(Duration.between(left.expiresAt(), current.grantedAt()))
                .as("from the end of the lease to the next grant, by the store's clock")
                .isBetween(Duration.ZERO, MARGIN);
        assertThat(current.token()).isGreaterThan(old.token());
        assertThat(successor.ask("write " + file)).isEqualTo("written");
        assertThat(new FencedCounter(file).add(old.token(), 1))
                .as("a late write of the killed process")
                .isFalse();
        assertThat(new FencedCounter(file).number()).isEqualTo(2);
        client().lost(old);
        assertThat(client().release(old)).isInstanceOf(ReleaseAnswer.Gone.class);
        client().holds(current);
        assertThat(successor.ask("state")).isEqualTo("held");
    }

    @Test
    @Tag("processes")
    default void aHolderThatSleptThroughItsLeaseIsToldAndHarmsNobody(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("resource");
        List<WorkerProcess> workers = bench().workers(2);
        WorkerProcess sleeper = workers.get(0);
        WorkerProcess successor = workers.get(1);
        LeaseRecord old = granted(key("slept"), sleeper.ask("hold acme:slept 4s"));
        assertThat(sleeper.ask("state")).isEqualTo("held");
        successor.tell("wait acme:slept 4s " + patience());
        sleeper.pause();
        LeaseRecord current = granted(key("slept"), successor.answer());
        assertThat(current.token()).isGreaterThan(old.token());
        assertThat(successor.ask("write " + file)).isEqualTo("written");

        sleeper.resume();
        Awaitility.await()
                .atMost(bench().patience())
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(() ->
                        assertThat(sleeper.ask("state")).startsWith("lost ").isNotEqualTo("lost null"));
        assertThat(sleeper.ask("renew")).isEqualTo("lost GONE");
        assertThat(sleeper.ask("release")).isEqualTo("gone");
        assertThat(sleeper.ask("finish")).isEqualTo("WAS_LOST");
        assertThat(sleeper.ask("write " + file)).isEqualTo("stale");
        assertThat(new FencedCounter(file).number()).isEqualTo(1);
        goesOn(current);
        assertThat(successor.ask("state")).isEqualTo("held");
        assertThat(successor.ask("finish")).isEqualTo("RELEASED");
    }

    @Test
    @Tag("processes")
    default void aProcessToldToEndKeepsItsLeaseUntilItsWorkHasEnded() throws Exception {
        WorkerProcess worker = bench().workers(1).get(0);
        LeaseRecord lease = granted(key("leaving"), worker.ask("hold acme:leaving 2s"));
        worker.terminate();
        assertThat(worker.answer()).isEqualTo("closing");
        goesOn(lease);
        assertThat(worker.ask("hold acme:another 2s"))
                .as("another acquire")
                .startsWith("error " + IllegalStateException.class.getName());
        assertThat(worker.ask("finish")).isEqualTo("RELEASED");
        assertThat(worker.answer()).isEqualTo("closed");
        assertThat(client().find(key("leaving"))).as("released").isEmpty();
        assertThat(worker.exitCode()).isEqualTo(143);
    }

    @Test
    @Tag("processes")
    default void aProcessThatWaitsIsServedWhenAnotherReleases() throws Exception {
        WorkerProcess waiter = bench().workers(1).get(0);
        LeaseRecord lease = client().take(key("handed-on"));
        assertThat(waiter.ask("take acme:handed-on 2s")).startsWith("refused").contains("worker on host-1");
        waiter.tell("wait acme:handed-on 30s " + patience());
        client().released(lease);
        LeaseRecord next = granted(key("handed-on"), waiter.answer());
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(waiter.ask("release")).isEqualTo("released");
    }

    private String patience() {
        return DurationText.format(bench().patience());
    }

    /** Waits until the lease has been renewed once more; it must be live all the time. */
    private void goesOn(LeaseRecord lease) {
        Instant end = client().find(lease.key()).orElseThrow().expiresAt();
        Awaitility.await("renewed beyond " + end)
                .atMost(bench().patience())
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    client().holds(lease);
                    return client().find(lease.key()).orElseThrow().expiresAt().isAfter(end);
                });
    }

    /** The lease that a worker reports as granted. */
    private LeaseRecord granted(LockKey key, String answer) {
        assertThat(answer).startsWith("granted ");
        String[] words = answer.split(" ", -1);
        LeaseRecord found = client().find(key).orElseThrow();
        assertThat(found.token()).isEqualTo(new FencingToken(Long.parseLong(words[1])));
        assertThat(found.id()).isEqualTo(LeaseId.parse(words[2]));
        return found;
    }
}
