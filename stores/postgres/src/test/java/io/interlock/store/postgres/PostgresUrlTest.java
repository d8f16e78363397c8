package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.Stores;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.ServerUrl;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresUrlTest {

    @Test
    void userAndPasswordAreDecodedAndThePasswordIsNotShown() {
        ServerUrl url = parse("postgresql://a%40b:p%2Fs%3As%25+x@db.example:6000/orders");
        assertThat(url.user()).isEqualTo("a@b");
        assertThat(url.password()).isEqualTo("p/s:s%+x");
        assertThat(url).hasToString("postgresql://db.example:6000/orders");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://me:s3cr/et@host/db",
                "postgresql://me:s3cr/et@host:5432/db?schema=a",
                "postgresql://me:s3cr?et@host/db",
                "postgresql://me:s3cr?et=x@host/db",
                "postgresql://me:s3cr?x=et&et@host/db",
                "postgresql://me:s3cr@et@host/db",
                "postgresql://me:s3cr%@host/db",
                "postgresql://me:s3cr/et@host",
                "postgresql:/me:s3cr/et@host",
            })
    void aPasswordThatIsNotEncodedIsNotShownEither(String url) {
        assertThatThrownBy(() -> Stores.open(url))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("percent")
                .hasMessageNotContaining("s3cr")
                .hasMessageNotContaining("et@")
                .hasMessageNotContaining("et=");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    postgres://host/db                 | host:5432
                    postgresql://me@host/db            | host:5432
                    postgresql://me@[::1]/db           | [::1]:5432
                    postgresql://me@[2001:db8::7]:99/d | [2001:db8::7]:99
                    postgresql://me@a:1,b/db           | a:1,b:5432
                    """)
    void hostsHaveAPort(String url, String hosts) {
        assertThat(parse(url).hosts()).isEqualTo(hosts);
    }

    @Test
    void theDriverIsToldEverything() {
        StoreUrl parsed = StoreUrl.parse(
                "postgresql://me:x@[::1]:7000/a%20b?sslmode=verify-full&sslrootcert=/ca.pem&timeout=1500ms&schema=s");
        PGSimpleDataSource source =
                (PGSimpleDataSource) PostgresUrl.dataSource(PostgresUrl.of(parsed), settings(parsed));
        assertThat(source.getServerNames()).containsExactly("[::1]");
        assertThat(source.getPortNumbers()).containsExactly(7000);
        assertThat(source.getDatabaseName()).isEqualTo("a b");
        assertThat(source.getSslMode()).isEqualTo("verify-full");
        assertThat(source.getSslRootCert()).isEqualTo("/ca.pem");
        assertThat(source.getSocketTimeout()).isEqualTo(2);
        assertThat(source.getConnectTimeout()).isEqualTo(2);
        assertThat(source.getTcpKeepAlive()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://me@db.invalid/x",
                "postgresql://me@localhost,10.0.0.7/x",
                "postgresql://me@[2001:db8::7]/x"
            })
    void aServerElsewhereIsRefusedUnlessTheUrlSaysWhetherConnectionsAreEncrypted(String url) {
        assertThatThrownBy(() -> Stores.open(url))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("sslmode")
                .hasMessageContaining("verify-full");
        ServerUrl said = parse(url + "?sslmode=prefer");
        assertThat(PostgresUrl.requireSslmode(said)).isEqualTo(said);
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgresql://me@localhost/x", "postgresql://me@127.0.0.1:7/x", "postgresql://me@[::1]/x"})
    void aServerHereNeedsNoEncryption(String url) {
        assertThat(PostgresUrl.requireSslmode(parse(url)).isLoopback()).isTrue();
    }

    @Test
    void settingsHaveDefaults() {
        ServerSettings settings = settings(StoreUrl.parse("postgresql://host/db"));
        assertThat(settings.names().table("lease")).isEqualTo("\"public\".interlock_lease");
        assertThat(settings.migrate()).isEqualTo(SchemaMode.APPLY);
        assertThat(settings.maxLease()).isEqualTo(Duration.ofMinutes(5));
        assertThat(settings.timeout()).isEqualTo(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    postgresql:host/db                     | is not a PostgreSQL URL
                    postgresql://me:s3@cret@host/db        | is not a PostgreSQL URL
                    postgresql://me:s3%cret@host/db        | begins no percent-encoding
                    postgresql://me:s3cret@host            | names no database
                    postgresql://me:s3cret@host/           | names no database
                    postgresql://me:s3cret@ho st/db        | which is none
                    postgresql://me:s3cret@host:99999/db   | not from 1 to 65535
                    postgresql://me:s3cret@host/db?shema=x | unknown options
                    postgresql://host/db?timeout=10ms      | must be from 1s to 1m
                    postgresql://host/db?maxLease=1s       | below the shortest lease
                    postgresql://host/db?schema=a-b        | plain lower-case name
                    postgresql://host/db?migrate=maybe     | write apply, validate or none
                    """)
    void mistakesAreNamedWithoutThePassword(String url, String said) {
        assertThatThrownBy(() -> settings(StoreUrl.parse(url)))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining(said)
                .hasMessageNotContaining("cret");
    }

    private static ServerUrl parse(String url) {
        return PostgresUrl.of(StoreUrl.parse(url));
    }

    private static ServerSettings settings(StoreUrl url) {
        return PostgresUrl.settings(PostgresUrl.of(url), url);
    }
}
