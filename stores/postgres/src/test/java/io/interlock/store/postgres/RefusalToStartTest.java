package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.Stores;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a store is not opened on: the error says why and what to do, and nothing is left behind. */
class RefusalToStartTest {

    private final PostgresServer server = PostgresServer.shared();
    private String tables = "";

    @BeforeEach
    void rememberTables() {
        tables = server.ask(TABLES);
    }

    private static final String TABLES =
            "SELECT string_agg(table_schema || '.' || table_name, ' ' ORDER BY 1) FROM information_schema.tables"
                    + " WHERE table_name LIKE '%interlock%' OR table_schema LIKE 'refused%'";

    @AfterEach
    void nothingIsLeftBehind() {
        assertThat(server.ask(TABLES)).isEqualTo(tables);
        await().untilAsserted(() -> assertThat(
                        server.ask("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'interlock'"))
                .isEqualTo("0"));
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("interlock-postgres")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"fsync", "full_page_writes"})
    void aServerThatLosesWhatItAcknowledged(String setting) {
        Map<String, String> settings = new HashMap<>(PostgresServer.DURABLE);
        settings.put(setting, "off");
        try (PostgresServer unsafe = PostgresServer.start(settings)) {
            refused(unsafe.url(), UnsafeStoreException.class, setting + "=off", "set " + setting + "=on");
            assertThat(unsafe.ask("SELECT count(*) FROM pg_class WHERE relname LIKE 'interlock%'"))
                    .isEqualTo("0");
        }
    }

    @Test
    void aPortNobodyListensOn() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        Instant start = Instant.now();
        refused(
                "postgresql://me:s3cret@localhost:" + port + "/db?timeout=2s",
                StoreUnavailableException.class,
                "localhost:" + port,
                "cannot be reached: Connection refused",
                "check host and port in the URL");
        assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void aHostNobodyKnows() {
        refused(
                "postgresql://me:s3cret@no-such-host.invalid/db?sslmode=require&timeout=2s",
                StoreUnavailableException.class,
                "unknown host no-such-host.invalid",
                "check host and port in the URL");
    }

    @Test
    void aWrongPassword() throws IOException {
        server.execute("DROP ROLE IF EXISTS careful", "CREATE ROLE careful LOGIN PASSWORD 'right'");
        Path rules = server.data().resolve("pg_hba.conf");
        String before = Files.readString(rules);
        try {
            Files.writeString(rules, "host all careful all scram-sha-256\n" + before);
            server.execute("SELECT pg_reload_conf()");
            await().untilAsserted(() -> refused(
                    "postgresql://careful:s3cret@localhost:" + server.port() + "/postgres",
                    InvalidSettingException.class,
                    "password authentication failed",
                    "careful",
                    "check user, password"));
            refused(
                    "postgresql://careful@localhost:" + server.port() + "/postgres",
                    InvalidSettingException.class,
                    "no password was provided",
                    "check user, password");
        } finally {
            Files.writeString(rules, before);
            server.execute("SELECT pg_reload_conf()", "DROP ROLE careful");
        }
    }

    @Test
    void anUnknownDatabase() {
        refused(
                "postgresql://postgres@localhost:" + server.port() + "/nowhere",
                InvalidSettingException.class,
                "nowhere",
                "create it, or correct the URL");
    }

    @Test
    void aRoleThatMayNotCreateTables() {
        server.execute("CREATE ROLE modest LOGIN");
        try {
            refused(
                    "postgresql://modest@localhost:" + server.port() + "/postgres?schema=refused",
                    InvalidSettingException.class,
                    "permission denied",
                    "migrate=apply");
        } finally {
            server.execute("DROP ROLE modest");
        }
    }

    @Test
    void missingTablesThatMayNotBeCreated() {
        refused(
                server.url("schema=refused&migrate=validate"),
                UnsafeStoreException.class,
                "001_store",
                "migrate=apply");
        refused(
                server.url("schema=refused&migrate=none"),
                UnsafeStoreException.class,
                "refused.interlock_",
                "migrate=apply");
    }

    @Test
    void aSchemaOfALaterProgram() {
        PostgresHarness harness = new PostgresHarness();
        try {
            server.execute("INSERT INTO " + harness.table("migration") + " VALUES (999, 'future', 'x', 'later')");
            for (String mode : List.of("apply", "validate")) {
                refused(
                        harness.url("migrate=" + mode),
                        UnsafeStoreException.class,
                        "schema version 999",
                        "use the newer program");
            }
        } finally {
            harness.close();
        }
    }

    @Test
    void aRoleThatMayOnlyRead() {
        PostgresHarness harness = new PostgresHarness();
        server.execute("CREATE ROLE onlooker LOGIN", "ALTER ROLE onlooker SET default_transaction_read_only = on");
        try {
            server.execute(
                    "GRANT USAGE ON SCHEMA " + harness.schema() + " TO onlooker",
                    "GRANT ALL ON ALL TABLES IN SCHEMA " + harness.schema() + " TO onlooker");
            refused(
                    "postgresql://onlooker@localhost:" + server.port() + "/postgres?migrate=none&maxLease=1h&schema="
                            + harness.schema(),
                    UnsafeStoreException.class,
                    "read-only",
                    "grant the right");
        } finally {
            server.execute("DROP OWNED BY onlooker", "DROP ROLE onlooker");
            harness.close();
        }
    }

    private static void refused(String url, Class<? extends InterlockException> type, String... words) {
        assertThatThrownBy(() -> Stores.open(url))
                .isInstanceOf(type)
                .hasMessageContainingAll(words)
                .hasMessageNotContaining("s3cret");
    }
}
