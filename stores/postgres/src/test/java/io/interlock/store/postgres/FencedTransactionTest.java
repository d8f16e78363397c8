package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.StaleTokenException;
import io.interlock.locks.fencing.FencingGate;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.LeaseStore;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fencing gate in PostgreSQL, where transactions of an old and a young holder really run at the same time. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FencedTransactionTest {

    private static final LockKey KEY = Bench.key("ledger");

    private final PostgresServer server = PostgresServer.shared();
    private final PostgresHarness harness = new PostgresHarness();
    private final FencingGate gate = new FencingGate();

    @BeforeEach
    void createTables() throws Exception {
        try (Connection connection = server.connect()) {
            FencingGate.createTable(connection);
        }
        server.execute("CREATE TABLE " + counter() + " (n integer)", "INSERT INTO " + counter() + " VALUES (0)");
    }

    @AfterEach
    void dropTables() {
        server.execute("DROP TABLE interlock_fence");
        harness.close();
    }

    @Test
    void aHolderThatWokeUpLateOverwritesNothing() throws Exception {
        try (LeaseStore store = harness.open(Environment.system());
                Connection late = transaction();
                Connection current = transaction()) {
            LeaseRecord old = Bench.take(store, "ledger");
            gate.pass(late, old.key(), old.token());
            int seen = number(late);
            late.commit();
            harness.advance(Bench.TTL);
            LeaseRecord young = Bench.take(store, "ledger");
            gate.pass(current, young.key(), young.token());
            write(current, number(current) + 1);
            current.commit();

            assertThatThrownBy(() -> gate.pass(late, old.key(), old.token()))
                    .isInstanceOfSatisfying(
                            StaleTokenException.class,
                            stale -> assertThat(stale.met()).isEqualTo(young.token()));
            assertThat(seen).as("what it would have built on").isZero();
            late.rollback();
            assertThat(number(late)).isEqualTo(1);
        }
    }

    /** The old one waits at the gate for the young one's transaction, whether or not the key has passed before. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoWaitsAtTheGateIsJudgedByWhatWasCommittedMeanwhile(boolean passedBefore) throws Exception {
        if (passedBefore) {
            try (Connection first = transaction()) {
                gate.pass(first, KEY, new FencingToken(1));
                first.commit();
            }
        }
        String young = "INSERT INTO interlock_fence VALUES ('" + KEY.encoded() + "', 6)"
                + " ON CONFLICT (lock_key) DO UPDATE SET token = 6";
        RowWait<Boolean> old = RowWait.during(server, young, () -> passes(new FencingToken(5)));
        assertThat(old.answer()).as("let in with a smaller token").isFalse();
        assertThat(passes(new FencingToken(7))).isTrue();
    }

    private boolean passes(FencingToken token) throws Exception {
        try (Connection connection = transaction()) {
            gate.pass(connection, KEY, token);
            connection.commit();
            return true;
        } catch (StaleTokenException stale) {
            return false;
        }
    }

    private String counter() {
        return harness.schema() + ".counter";
    }

    private int number(Connection connection) throws Exception {
        return Integer.parseInt(RowWait.value(connection, "SELECT n FROM " + counter()));
    }

    private void write(Connection connection, int number) throws Exception {
        RowWait.execute(connection, "UPDATE " + counter() + " SET n = " + number);
    }

    private Connection transaction() throws Exception {
        Connection connection = server.connect();
        connection.setAutoCommit(false);
        return connection;
    }
}
