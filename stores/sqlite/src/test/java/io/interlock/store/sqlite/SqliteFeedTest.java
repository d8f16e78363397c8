package io.interlock.store.sqlite;

import static io.interlock.store.sqlite.Caller.KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.Stores;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.ForwardingEnvironment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteFeedTest {

    private static final LockKey OTHER = LockKey.of("other");

    @TempDir
    Path folder;

    private LeaseStore holderStore;
    private LeaseStore waiterStore;
    private Caller holder;

    @BeforeEach
    void open() {
        holderStore = Stores.open("sqlite:" + folder.resolve("leases.db"));
        waiterStore = Stores.open("sqlite:" + folder.resolve("leases.db"));
        holder = new Caller(holderStore);
    }

    @AfterEach
    void close() {
        holderStore.close();
        waiterStore.close();
    }

    @Test
    void aReleaseElsewhereWakesTheWaiter() throws InterruptedException {
        LeaseRecord lease = holder.take(KEY);
        CountDownLatch woken = new CountDownLatch(1);
        try (ChangeFeed.Subscription ignored = waiterStore.changes().watch(KEY, woken::countDown)) {
            holder.release(lease);
            assertThat(woken.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aReleaseHereWakesTheWaiter() throws InterruptedException {
        LeaseRecord lease = holder.take(KEY);
        CountDownLatch woken = new CountDownLatch(1);
        try (ChangeFeed.Subscription ignored = holderStore.changes().watch(KEY, woken::countDown)) {
            holder.release(lease);
            assertThat(woken.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aFeedThatGotNoThreadLooksOnceThereIsOne() throws InterruptedException {
        LeaseRecord lease = holder.take(KEY);
        AtomicInteger timers = new AtomicInteger();
        Environment environment = new ForwardingEnvironment(Environment.system()) {
            @Override
            public Timers timers(String name) {
                Timers real = super.timers(name);
                return new Timers() {
                    @Override
                    public Scheduled after(Duration delay, Runnable task) {
                        if (name.equals("interlock-sqlite-feed") && timers.getAndIncrement() == 0) {
                            throw new InternalError("unable to create native thread");
                        }
                        return real.after(delay, task);
                    }

                    @Override
                    public void close() {
                        real.close();
                    }
                };
            }
        };
        CountDownLatch woken = new CountDownLatch(1);
        CountDownLatch refused = new CountDownLatch(1);
        try (LeaseStore store = Stores.open("sqlite:" + folder.resolve("leases.db"), environment)) {
            assertThatThrownBy(() -> store.changes().watch(KEY, refused::countDown))
                    .isInstanceOf(InternalError.class);
            try (ChangeFeed.Subscription ignored = store.changes().watch(KEY, woken::countDown)) {
                holder.release(lease);
                assertThat(woken.await(10, TimeUnit.SECONDS)).isTrue();
            }
        }
        assertThat(refused.getCount()).isEqualTo(1);
    }

    @Test
    void renewalsAndOtherKeysWakeNoWaiter() throws InterruptedException {
        LeaseRecord lease = holder.take(KEY);
        LeaseRecord other = holder.take(OTHER);
        AtomicInteger wrong = new AtomicInteger();
        CountDownLatch woken = new CountDownLatch(1);
        try (ChangeFeed.Subscription first = waiterStore.changes().watch(KEY, wrong::incrementAndGet);
                ChangeFeed.Subscription second = waiterStore.changes().watch(OTHER, woken::countDown)) {
            holder.renew(lease);
            holder.release(other);
            assertThat(woken.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(wrong).hasValue(0);
        }
    }

    @Test
    void aWaiterThatFailsDoesNotKeepOthersAsleep() throws InterruptedException {
        LeaseRecord lease = holder.take(KEY);
        CountDownLatch woken = new CountDownLatch(1);
        try (ChangeFeed.Subscription bad = waiterStore.changes().watch(KEY, () -> {
                    throw new IllegalStateException("made by the test");
                });
                ChangeFeed.Subscription good = waiterStore.changes().watch(KEY, woken::countDown)) {
            holder.release(lease);
            assertThat(woken.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void whoStoppedWatchingIsLeftAlone() throws InterruptedException {
        LeaseRecord lease = holder.take(KEY);
        AtomicInteger wrong = new AtomicInteger();
        CountDownLatch woken = new CountDownLatch(1);
        ChangeFeed.Subscription over = waiterStore.changes().watch(KEY, wrong::incrementAndGet);
        over.close();
        over.close();
        try (ChangeFeed.Subscription ignored = waiterStore.changes().watch(KEY, woken::countDown)) {
            holder.release(lease);
            assertThat(woken.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(wrong).hasValue(0);
        }
    }

    @Test
    void itsThreadEndsWithTheStore() {
        ChangeFeed.Subscription ignored = waiterStore.changes().watch(KEY, () -> {});
        assertThat(feedThreads()).isEqualTo(1);
        waiterStore.close();
        await().atMost(Duration.ofSeconds(10)).until(() -> feedThreads() == 0);
        ignored.close();
    }

    private static long feedThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("interlock-sqlite-feed"))
                .count();
    }
}
