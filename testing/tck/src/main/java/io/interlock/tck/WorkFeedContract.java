package io.interlock.tck;

import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.spi.ChangeFeed.Subscription;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.WorkSteps;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Wake-ups for workers. They are hints, so a test tries a few times before it fails. */
interface WorkFeedContract extends RunContract {

    private WorkSteps anotherFeed() {
        assumeTrue(client().store().capabilities().wakeUps(), "this store sends no wake-ups");
        return bench().anotherClient().store().work();
    }

    /**
     * Checks that the step returned by {@code scene} wakes a subscriber. Earlier wake-ups, from preparing the scene
     * and from subscribing, are drained first: a run of another tenant marks their end.
     */
    private void wakes(Function<LockKey, Runnable> scene) throws Exception {
        WorkSteps feed = anotherFeed();
        Semaphore heard = new Semaphore(0);
        Semaphore marked = new Semaphore(0);
        boolean woken = false;
        try (Subscription open = feed.watchWork("acme", heard::release);
                Subscription marker = feed.watchWork("globex", marked::release)) {
            assertThat(open).isNotSameAs(marker);
            submitUntilHeard(LockKey.of("globex", "first-look"), marked, marked);
            for (int attempt = 0; attempt < 4 && !woken; attempt++) {
                client().claim(100);
                Runnable event = scene.apply(key("work-" + attempt));
                marked.drainPermits();
                submitUntilHeard(LockKey.of("globex", "marker-" + attempt), marked, marked);
                heard.drainPermits();
                event.run();
                woken = heard.tryAcquire(4, TimeUnit.SECONDS);
            }
        }
        assertThat(woken).as("woken within 4 s by one of 4").isTrue();
    }

    private Run queue(LockKey key) {
        return client().queues(key, spec().policy(ConflictPolicy.QUEUE)).run();
    }

    @Test
    default void aRunThatCanStartWakesWorkers() throws Exception {
        wakes(key -> () -> client().starts(key, spec()));
    }

    @Test
    default void anEndingThatMakesRoomWakesWorkers() throws Exception {
        wakes(key -> {
            client().starts(key, spec());
            Claimed work = client().claim();
            queue(key);
            return () -> client().succeeds(work);
        });
    }

    @Test
    default void aRestThatIsOverWakesWorkersWhenSomebodySweeps() throws Exception {
        RetryPlan later = new RetryPlan(2, Duration.ofSeconds(10), 1, Duration.ofSeconds(10));
        wakes(key -> {
            client().starts(key, spec().retry(later));
            client().failsForNow(client().claim());
            return () -> {
                advance(Duration.ofSeconds(11));
                assertThat(client().store().upkeep().sweepRuns(100)).isNotEmpty();
            };
        });
    }

    @Test
    default void resumingWakesWorkersForWhatWaits() throws Exception {
        wakes(key -> {
            client().store().runs().pause(new PauseRequest("acme", key.name(), "carol", "lunch", null));
            queue(key);
            return () -> client().store().runs().resume(new ResumeRequest("acme", key.name(), "carol", "back"));
        });
    }

    @Test
    default void resumingWakesWorkersForWhatWasKeptForThem() throws Exception {
        wakes(key -> {
            client().starts(key, spec());
            client().store().runs().pause(new PauseRequest("acme", key.name(), "carol", "lunch", null));
            return () -> client().store().runs().resume(new ResumeRequest("acme", key.name(), "carol", "back"));
        });
    }

    @Test
    default void theReleaseOfABareLeaseWakesWorkers() throws Exception {
        wakes(key -> {
            Client bare = new Client(client().store());
            LeaseRecord lease = bare.take(key);
            queue(key);
            return () -> bare.released(lease);
        });
    }

    @Test
    default void aCancelledRunMakesRoomAndWakesWorkers() throws Exception {
        wakes(key -> {
            Run first = client().starts(key, spec()).run();
            queue(key);
            return () -> client().store().runs().cancel(new CancelRequest(first.id(), "carol", "not that one"));
        });
    }

    @Test
    default void workersHearOfTheirTenantAndWhoServesAllOfEvery() throws Exception {
        WorkSteps feed = anotherFeed();
        Semaphore acme = new Semaphore(0);
        Semaphore globex = new Semaphore(0);
        Semaphore all = new Semaphore(0);
        Subscription one = feed.watchWork("acme", acme::release);
        Subscription other = feed.watchWork("globex", globex::release);
        Subscription both = feed.watchWork(null, all::release);
        try (one;
                other;
                both) {
            // A new subscriber may get one spurious wake-up. The second one is certainly about a run.
            submitUntilHeard(LockKey.of("acme", "first"), acme, all);
            submitUntilHeard(LockKey.of("acme", "second"), acme, all);
            globex.drainPermits();
            submitUntilHeard(LockKey.of("acme", "third"), acme, all);
            assertThat(globex.availablePermits()).as("no wake-up for globex").isZero();
            acme.drainPermits();
            all.drainPermits();
            submitUntilHeard(LockKey.of("globex", "fourth"), globex, all);
        }
    }

    @Test
    default void whoNoLongerWatchesIsLeftAlone() throws Exception {
        WorkSteps feed = anotherFeed();
        Semaphore silent = new Semaphore(0);
        Semaphore heard = new Semaphore(0);
        Subscription closed = feed.watchWork("acme", silent::release);
        closed.close();
        closed.close();
        silent.drainPermits();
        try (Subscription open = feed.watchWork("acme", heard::release)) {
            assertThat(open).isNotNull();
            submitUntilHeard(key("watched"), heard, heard);
        }
        assertThat(silent.availablePermits()).isZero();
    }

    private void submitUntilHeard(LockKey key, Semaphore one, Semaphore other) throws Exception {
        boolean woken = false;
        for (int attempt = 0; attempt < 4 && !woken; attempt++) {
            client().starts(LockKey.of(key.tenant(), key.name() + "-" + attempt), spec());
            woken = one.tryAcquire(4, TimeUnit.SECONDS) && (one == other || other.tryAcquire(4, TimeUnit.SECONDS));
        }
        assertThat(woken).as("woken within 4 s by one of 4 runs of %s", key).isTrue();
    }
}
