package io.interlock.engine.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Holder;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.AuditRecord;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.Retention;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.store.memory.MemoryStore;
import io.interlock.tck.ManualTime;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The chain of a store, with the records that its own steps have left. */
class StoredChainTest {

    private static final JobName JOB = new JobName("close");

    private final ManualTime time = new ManualTime();
    private final MemoryStore store = new MemoryStore(time);

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void whatAStoreDoesMakesAChainWithoutOverlaps() {
        for (int i = 0; i < 300; i++) {
            work(LockKey.of("acme", "ledger/" + i % 7));
            if (i % 50 == 0) {
                new AuditSealer(store.audit()).runOnce();
            }
        }
        new AuditSealer(store.audit()).runOnce();
        AuditReport report = new AuditVerifier(store.audit()).verify(AuditVerifier.Outside.NOTHING);
        assertThat(report.isClean()).as(report.sentence()).isTrue();
        assertThat(report.records()).isGreaterThanOrEqualTo(900);
    }

    @Test
    void whatTheStoreForgetsIsNotMissed() {
        work(LockKey.of("acme", "ledger"));
        new AuditSealer(store.audit()).runOnce();
        time.advance(Duration.ofDays(2));
        work(LockKey.of("acme", "ledger"));
        new AuditSealer(store.audit()).runOnce();
        long before = new AuditVerifier(store.audit())
                .verify(AuditVerifier.Outside.NOTHING)
                .records();
        store.upkeep().forget(new Retention(Duration.ofDays(1), Duration.ofDays(1), Duration.ofDays(1)), 1000);
        AuditReport report = new AuditVerifier(store.audit()).verify(AuditVerifier.Outside.NOTHING);
        assertThat(report.isClean()).as(report.sentence()).isTrue();
        assertThat(report.records()).isEqualTo(before / 2);
    }

    @Test
    void aRecordThatReadsOtherwiseThanItWasWrittenIsFound() {
        work(LockKey.of("acme", "ledger"));
        new AuditSealer(store.audit()).runOnce();
        AuditLog changed = (AuditLog) Proxy.newProxyInstance(
                AuditLog.class.getClassLoader(), new Class<?>[] {AuditLog.class}, (proxy, method, arguments) -> {
                    Object answer = method.invoke(store.audit(), arguments);
                    return method.getName().equals("sealed") ? changed((List<?>) answer) : answer;
                });
        assertThat(new AuditVerifier(changed)
                        .verify(AuditVerifier.Outside.NOTHING)
                        .findings())
                .containsExactly(AuditFinding.edited(2, 2));
    }

    private static List<AuditLog.Sealed> changed(List<?> page) {
        return page.stream()
                .map(AuditLog.Sealed.class::cast)
                .map(StoredChainTest::changed)
                .toList();
    }

    private static AuditLog.Sealed changed(AuditLog.Sealed link) {
        AuditRecord record = link.record();
        return record == null || link.seal().position() != 2
                ? link
                : new AuditLog.Sealed(link.seal(), TamperedLog.blaming(record, "mallory"));
    }

    private void work(LockKey key) {
        RunId id = RunId.create(time.clock(), time.random());
        store.runs()
                .submit(List.of(SubmitRequest.of(id, key, RunSpec.of(JOB, "alice"))))
                .only();
        UUID name = new UUID(time.random().nextLong(), time.random().nextLong());
        Claimed work = store.work()
                .claim(new ClaimRequest(name, new Holder("host/1", "worker"), null, Set.of(JOB), 1))
                .get(0);
        store.work()
                .finish(List.of(new FinishRequest(
                        id, key, work.lease().id(), work.lease().token(), new Ending.Succeeded("{}"))))
                .only();
    }
}
