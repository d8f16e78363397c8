package io.interlock.engine.notify;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditRecord;
import io.interlock.run.RunError;
import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.RunQueries;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a store that works does not bring about, and runs that are forgotten. */
class RecordReaderTest {

    private static final RunId RUN = new RunId(new UUID(7, 7));
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final FencingToken TOKEN = new FencingToken(42);
    private static final Seal SEAL = new Seal(3, 9, "ab".repeat(32));

    @Test
    void lostLockStateAndOverlapsAreTold() {
        assertThat(read("RUNNING", "FAILED", RunError.LOCK_STATE_LOST))
                .singleElement()
                .satisfies(told -> {
                    assertThat(told.kind()).isEqualTo(Notification.Kind.LOCK_STATE_LOST);
                    assertThat(told.id()).isEqualTo("lock-state-lost_" + "ab".repeat(16));
                    assertThat(told.explanation()).contains("counted as running without a lease");
                });
        assertThat(read("RUNNING", "FAILED", RunError.OVERLAPPING_GRANTS))
                .singleElement()
                .satisfies(told -> {
                    assertThat(told.kind()).isEqualTo(Notification.Kind.OVERLAPPING_GRANTS);
                    assertThat(told.explanation()).contains("at the same time as another run");
                });
    }

    @Test
    void whatIsKnownOfAForgottenRunIsStillTold() {
        assertThat(read("RUNNING", "DEAD", null)).singleElement().satisfies(told -> {
            assertThat(told.kind()).isEqualTo(Notification.Kind.DEAD_LETTER);
            assertThat(told.error()).isNull();
            assertThat(told.json()).contains("\"runId\":\"" + RUN + "\"").doesNotContain("\"job\"");
        });
    }

    @Test
    void anEvictedBareLeaseIsTold() {
        AuditRecord record = new AuditRecord(
                9, AT, LockKey.of("ledger"), null, TOKEN, "bob", "evicted", "cron on host", "", "hangs", null, null);
        assertThat(reader(null).read(new AuditLog.Sealed(SEAL, record)))
                .singleElement()
                .satisfies(told -> {
                    assertThat(told.subject()).isNull();
                    assertThat(told.explanation())
                            .isEqualTo("bob took the lease of default:ledger by force from cron on host: hangs");
                });
    }

    @Test
    void nothingIsToldOfWhatGoesWell() {
        assertThat(read("RUNNING", "SUCCEEDED", null)).isEmpty();
        assertThat(read("PENDING", "RUNNING", null)).isEmpty();
        assertThat(read("RUNNING", "FAILED", "MY_OWN")).isEmpty();
        assertThat(read("PENDING", "FAILED", RunError.NO_WORKER)).isEmpty();
        assertThat(reader(null).read(new AuditLog.Sealed(SEAL, null)))
                .as("a record that is gone")
                .isEmpty();
    }

    private static List<Notification> read(String before, String after, @Nullable String code) {
        AuditRecord record = new AuditRecord(
                9, AT, LockKey.of("ledger"), RUN, TOKEN, "interlock", "run", before, after, "because", null, null);
        return reader(code).read(new AuditLog.Sealed(SEAL, record));
    }

    private static ChainStream.RecordReader reader(@Nullable String code) {
        Turn turn = new Turn(2, new LeaseId(new UUID(1, 1)), TOKEN, new Holder("host/1", "worker"), AT);
        List<Attempt> attempts = code == null
                ? List.of()
                : List.of(new Attempt(RUN, turn, AT, RunState.FAILED, new RunError(code, "message")));
        return new ChainStream.RecordReader((RunQueries) Proxy.newProxyInstance(
                RunQueries.class.getClassLoader(),
                new Class<?>[] {RunQueries.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "findRun" -> Optional.empty();
                    case "attempts" -> attempts;
                    default -> throw new UnsupportedOperationException(method.getName());
                }));
    }
}
