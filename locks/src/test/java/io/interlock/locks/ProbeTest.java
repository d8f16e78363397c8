package io.interlock.locks;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseRecord;
import io.interlock.Refusal;
import io.interlock.locks.LeaseOptions.TakeoverProbe.Finding;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProbeTest extends LocksFixture {

    private final List<LeaseRecord> probed = new CopyOnWriteArrayList<>();
    private volatile Finding finding = new Finding.Over();

    @BeforeEach
    void leaveExpiredLeases() {
        Locks crashed = builder().build();
        crashed.tryAcquireAll(List.of(KEY, OTHER), crashed.defaultOptions()).orElseThrow();
        crashed.close();
        seconds(31);
    }

    @Test
    void takesTheKeyOverOnceTheProbeSaysItIsOver() {
        Lease lease = locks.tryAcquire(KEY, probing()).orElseThrow();
        assertThat(lease.isHeld()).isTrue();
        assertThat(probed).extracting(LeaseRecord::key).containsExactly(KEY);
    }

    @Test
    void probesEachOfSeveralKeys() {
        assertThat(locks.tryAcquireAll(List.of(KEY, OTHER), probing()).lease()).isPresent();
        assertThat(probed).extracting(LeaseRecord::key).containsExactly(KEY, OTHER);
    }

    @Test
    void keepsTheKeyClosedWhileTheWorkStillRuns() {
        finding = new Finding.StillRunning("job 17 is at 80 %");
        assertThat(locks.tryAcquire(KEY, probing())).isInstanceOfSatisfying(Acquisition.Refused.class, refused -> {
            assertThat(refused.refusal()).isInstanceOf(Refusal.StillRunning.class);
            assertThat(refused.refusal().explanation()).contains("job 17 is at 80 %");
            assertThat(refused.refusal().retryAfter()).isEqualTo(Duration.ofSeconds(1));
        });
        assertThat(store.isHeld(KEY)).isFalse();
    }

    @Test
    void aProbeThatFailsKeepsTheKeyClosed() {
        LeaseOptions options = locks.defaultOptions().takeoverProbe(expired -> {
            throw new IOException("no route to warehouse");
        });
        assertThat(locks.tryAcquire(KEY, options))
                .isInstanceOfSatisfying(
                        Acquisition.Refused.class,
                        refused -> assertThat(refused.refusal().explanation()).contains("no route to warehouse"));
    }

    @Test
    void whoeverWaitsProbesAgainAtEachPoll() throws Exception {
        finding = new Finding.StillRunning("job 17 is at 80 %");
        CompletableFuture<Acquisition> waiting = locks.acquireAsync(List.of(KEY), Duration.ofMinutes(5), probing())
                .toCompletableFuture();
        eventuallyAsTimePasses(() -> probed.size() >= 4);
        assertThat(waiting).isNotDone();
        finding = new Finding.Over();
        eventuallyAsTimePasses(waiting::isDone);
        assertThat(waiting.get().lease()).isPresent();
    }

    @Test
    void takesOverWithoutAskingIfThereIsNoProbe() {
        assertThat(locks.tryAcquire(KEY).lease()).isPresent();
        assertThat(probed).isEmpty();
    }

    private LeaseOptions probing() {
        return locks.defaultOptions().takeoverProbe(expired -> {
            probed.add(expired);
            return finding;
        });
    }
}
