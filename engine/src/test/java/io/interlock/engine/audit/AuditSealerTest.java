package io.interlock.engine.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.StoreUnavailableException;
import io.interlock.run.AuditChain.Seal;
import io.interlock.tck.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AuditSealerTest {

    private final TamperedLog log = new TamperedLog();

    @Test
    void sealsEveryRecordOnceAndInOrder() {
        log.runs(700);
        assertThat(new AuditSealer(log).runOnce()).isEqualTo(1400);
        assertThat(log.links.values()).extracting(Seal::sequence).isSorted().hasSize(1400);
        assertThat(log.head).isEqualTo(log.links.lastEntry().getValue());
        assertThat(new AuditSealer(log).runOnce()).as("nothing new").isZero();
    }

    @Test
    void leavesTheChainToWhoeverWasFaster() {
        log.runs(1);
        log.beforeSeal = () -> {
            log.beforeSeal = () -> {};
            new AuditSealer(log).runOnce();
        };
        assertThat(new AuditSealer(log).runOnce()).isZero();
        assertThat(log.links).hasSize(2);
        assertThat(new AuditVerifier(log).verify(AuditVerifier.Outside.NOTHING).isClean())
                .isTrue();
    }

    @Test
    void sealsNothingTwiceThatSomebodySealedMeanwhile() {
        log.runs(1);
        log.afterReading = () -> {
            log.afterReading = () -> {};
            new AuditSealer(log).runOnce();
        };
        assertThat(new AuditSealer(log).runOnce()).isZero();
        assertThat(log.links.values()).extracting(Seal::sequence).containsExactly(1L, 2L);
    }

    @Test
    void manyProcessesMakeOneChain() throws Exception {
        ExecutorService processes = Executors.newFixedThreadPool(4);
        CountDownLatch go = new CountDownLatch(1);
        List<Future<Integer>> sealing = IntStream.range(0, 4)
                .mapToObj(number -> processes.submit(() -> {
                    AuditSealer sealer = new AuditSealer(log);
                    int sealed = 0;
                    go.await();
                    for (int i = 0; i < 100; i++) {
                        log.add(TamperedLog.KEY, number, 1000L * number + i + 1, "RUNNING", "SUCCEEDED");
                        sealed += sealer.runOnce();
                    }
                    return sealed;
                }))
                .toList();
        go.countDown();
        int all = new AuditSealer(log).runOnce();
        for (Future<Integer> sealed : sealing) {
            all += sealed.get(20, TimeUnit.SECONDS);
        }
        all += new AuditSealer(log).runOnce();
        processes.shutdown();
        assertThat(all).isEqualTo(400);
        AuditReport report = new AuditVerifier(log).verify(AuditVerifier.Outside.NOTHING);
        assertThat(report.isClean()).as(report.sentence()).isTrue();
        assertThat(report.records()).isEqualTo(400);
    }

    @Test
    void worksByItselfAndAgainAfterAnOutage() throws Exception {
        ManualTime time = new ManualTime();
        try (AutoCloseable running = new AuditSealer(log).start(time)) {
            log.runs(3);
            time.advance(Duration.ofSeconds(2));
            assertThat(log.links).hasSize(6);

            log.beforeSeal = () -> {
                throw new StoreUnavailableException("test", "is away");
            };
            log.runs(1);
            time.advance(Duration.ofSeconds(5));
            assertThat(log.links).hasSize(6);

            log.beforeSeal = () -> {};
            time.advance(Duration.ofSeconds(2));
            assertThat(log.links).hasSize(8);
        }
        log.runs(1);
        time.advance(Duration.ofSeconds(5));
        assertThat(log.links).as("after the end").hasSize(8);
    }
}
