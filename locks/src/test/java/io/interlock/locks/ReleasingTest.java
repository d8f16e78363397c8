package io.interlock.locks;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.locks.Lease.Release;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReleasingTest extends LocksFixture {

    @Test
    void leasesOfSeveralKeysLeftOpenDoNotKeepTheThreadsFromEachOther() throws Exception {
        Lease leading = hold(KEY);
        Lease next = hold(OTHER);
        List<Lease> pairs = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            List<LockKey> pair = List.of(LockKey.of("left/" + i), LockKey.of("right/" + i));
            pairs.add(locks.tryAcquireAll(pair, locks.defaultOptions()).orElseThrow());
        }
        store.leftOpen = key -> key.name().startsWith("left/");
        CountDownLatch underWay = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        store.releasing.before = () -> {
            if (store.releases.size() == 1) {
                underWay.countDown();
                RenewalTest.join(answer);
            }
        };
        List<CompletableFuture<Release>> released = new ArrayList<>();
        released.add(leading.releaseAsync().toCompletableFuture());
        assertThat(underWay.await(5, TimeUnit.SECONDS)).isTrue();
        released.add(next.releaseAsync().toCompletableFuture());
        pairs.forEach(pair -> released.add(pair.releaseAsync().toCompletableFuture()));
        eventually(() -> store.releases.size() >= 16);
        answer.countDown();
        for (CompletableFuture<Release> each : released) {
            assertThat(each.get(5, TimeUnit.SECONDS)).isEqualTo(Release.RELEASED);
        }
    }
}
