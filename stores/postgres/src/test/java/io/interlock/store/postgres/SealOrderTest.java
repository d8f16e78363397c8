package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.run.AuditChain;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditRecord;
import io.interlock.spi.Stores;
import io.interlock.spi.run.AuditLog.Sealed;
import io.interlock.store.sql.SqlStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Audit records that come to light late, or are taken away before they are sealed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SealOrderTest {

    private final PostgresHarness harness = new PostgresHarness();

    @BeforeEach
    void reset() {
        harness.reset();
    }

    @AfterAll
    void close() {
        harness.close();
    }

    private SqlStore open() {
        return (SqlStore) Stores.open(harness.url(""));
    }

    @Test
    void aSmallerNumberThatCommitsLaterIsSealedFirst() throws Exception {
        try (SqlStore store = open();
                Connection slow = harness.server().connect()) {
            slow.setAutoCommit(false);
            insertRecord(slow);
            RunWords.queued(store, "fast");
            assertThat(store.audit().unsealed(10))
                    .as("while a smaller number may come")
                    .isEmpty();
            slow.commit();
            sealed(store, store.audit().unsealed(10));
            assertThat(names(store)).containsExactly("slow", "fast");
        }
    }

    @Test
    void aNumberThatWasRolledBackIsWaitedForNoLonger() throws Exception {
        try (SqlStore store = open();
                Connection slow = harness.server().connect()) {
            slow.setAutoCommit(false);
            insertRecord(slow);
            RunWords.queued(store, "fast");
            assertThat(store.audit().unsealed(10)).isEmpty();
            slow.rollback();
            sealed(store, store.audit().unsealed(10));
            assertThat(names(store)).containsExactly("fast");
        }
    }

    private void insertRecord(Connection connection) throws SQLException {
        RowWait.execute(
                connection,
                "INSERT INTO " + harness.table("audit")
                        + " (at, tenant, name, actor, action, state_before, state_after, reason)"
                        + " VALUES (0, 'acme', 'slow', 'a', 'paused', '', '', 'r')");
    }

    private static List<String> names(SqlStore store) {
        return store.audit().sealed(0, 10).stream()
                .map(Sealed::record)
                .map(record -> record == null ? "" : record.key().name())
                .toList();
    }

    private static Seal sealed(SqlStore store, List<AuditRecord> records) {
        Seal last = store.audit().head();
        for (AuditRecord record : records) {
            Seal next = AuditChain.next(last, record);
            assertThat(store.audit().seal(last, List.of(next))).isTrue();
            last = next;
        }
        return last;
    }

    @Test
    void aRecordIsSealedOnceWhateverTheHead() {
        try (SqlStore store = open()) {
            RunWords.queued(store, "k");
            List<AuditRecord> records = store.audit().unsealed(10);
            Seal head = sealed(store, records);
            assertThat(store.audit().seal(head, List.of(AuditChain.next(head, records.get(0)))))
                    .isFalse();
            assertThat(store.audit().head()).isEqualTo(head);
            RunWords.queued(store, "k2");
            Seal gap = AuditChain.next(
                    new Seal(7, 7, head.hash()), store.audit().unsealed(1).get(0));
            assertThat(store.audit().seal(head, List.of(gap))).as("a gap").isFalse();
        }
    }

    @Test
    void recordsThatWereDeletedBeforeTheyWereSealedStopNoOthers() {
        try (SqlStore store = open()) {
            RunWords.queued(store, "lost");
            RunWords.queued(store, "last");
            harness.server().execute("DELETE FROM " + harness.table("audit") + " WHERE name = 'lost'");
            sealed(store, store.audit().unsealed(10));
            assertThat(names(store)).containsExactly("last");
            assertThat(store.audit().unsealed(10)).isEmpty();
        }
    }
}
