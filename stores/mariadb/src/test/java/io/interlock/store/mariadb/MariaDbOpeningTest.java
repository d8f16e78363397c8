package io.interlock.store.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.servers.MariaDbServer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a server is refused for, and how that is said. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MariaDbOpeningTest {

    private MariaDbHarness harness;

    @BeforeAll
    void start() {
        harness = MariaDbHarness.create();
    }

    @AfterAll
    void stop() {
        if (harness != null) {
            harness.close();
        }
    }

    private MariaDbServer server() {
        return harness.server();
    }

    private static void refused(String url, Class<? extends Throwable> kind, String said) {
        assertThatThrownBy(() -> Stores.open(url).close()).isInstanceOf(kind).hasMessageContaining(said);
    }

    @Test
    void aWrongPasswordAndAMissingDatabaseAreMistakesInTheUrl() {
        String place = "127.0.0.1:" + server().port();
        InvalidSettingException wrong = catchThrowableOfType(
                InvalidSettingException.class,
                () -> Stores.open("mariadb://root:s3cret@" + place + "/interlock")
                        .close());
        assertThat(wrong).hasMessageContaining("does not let us in").hasMessageNotContaining("s3cret");
        refused("mariadb://root@" + place + "/nowhere", InvalidSettingException.class, "names no database");
    }

    @Test
    void aUserWithoutRightsIsToldWhichAreMissing() {
        server().execute("CREATE USER reader", "GRANT SELECT ON interlock.* TO reader");
        try {
            refused(
                    "mariadb://reader@127.0.0.1:" + server().port() + "/interlock?prefix=other_",
                    InvalidSettingException.class,
                    "does not allow what is needed");
        } finally {
            server().execute("DROP USER reader");
        }
    }

    @Test
    void aServerThatIsNotThereIsUnavailable() {
        refused(
                "mariadb://root@127.0.0.1:1/interlock?timeout=1s",
                StoreUnavailableException.class,
                "cannot be reached");
        refused("mariadb://root@nowhere.invalid/interlock?timeout=1s", StoreUnavailableException.class, "unknown host");
    }

    @Test
    void missingTablesAreSaidAndNotMade() {
        refused(server().url("prefix=none_&migrate=validate"), UnsafeStoreException.class, "lacks the migrations");
        refused(server().url("prefix=none_&migrate=none"), UnsafeStoreException.class, "has no tables none_");
    }

    @ParameterizedTest
    @CsvSource({"read_only, 1, 0", "innodb_flush_log_at_trx_commit, 2, 1"})
    void aServerThatMayLoseWhatItAcknowledgesIsRefused(String setting, String wrong, String right) {
        server().execute("SET GLOBAL " + setting + " = " + wrong);
        try {
            refused(harness.url(""), UnsafeStoreException.class, setting + "=");
        } finally {
            server().execute("SET GLOBAL " + setting + " = " + right);
        }
    }

    @Test
    void aStoreInUseNoticesThatCommitsAreNoLongerFlushed() {
        try (RunStore store = harness.open(Environment.system())) {
            store.find(List.of(LockKey.of("k")));
            server().execute("SET GLOBAL innodb_flush_log_at_trx_commit = 0");
            try {
                assertThatThrownBy(() -> store.find(List.of(LockKey.of("k")))).isInstanceOf(UnsafeStoreException.class);
            } finally {
                server().execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
            }
            assertThat(store.find(List.of(LockKey.of("k")))).hasSize(1);
        }
    }

    @Test
    void tablesOfAnotherEngineAreRefused() {
        server().execute("ALTER TABLE " + harness.table("attempt") + " ENGINE = Aria");
        try {
            refused(harness.url(""), UnsafeStoreException.class, "in Aria");
        } finally {
            server().execute("ALTER TABLE " + harness.table("attempt") + " ENGINE = InnoDB");
        }
    }
}
