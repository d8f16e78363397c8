package io.interlock.store.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.spi.StoreUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mariadb.jdbc.MariaDbDataSource;

class MariaDbUrlTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    mariadb://me:x@localhost/db                    | DISABLE
                    mariadb://me:x@127.0.0.1:3307/db               | DISABLE
                    mariadb://me:x@[::1]/db                        | DISABLE
                    mariadb://me:x@localhost/db?sslMode=trust      | TRUST
                    mariadb://me:x@db.example/db?sslMode=verify-ca | VERIFY_CA
                    """)
    void tlsIsLeftOutOnlyToThisMachine(String url, String mode) {
        assertThat(driverUrl(url)).contains("sslMode=" + mode + "&");
    }

    @Test
    void toOtherMachinesTheDriverDemandsWhatItDoesByDefault() {
        assertThat(driverUrl("mariadb://me:x@db.example/db"))
                .startsWith("jdbc:mariadb://db.example/db?")
                .doesNotContain("sslMode");
    }

    @Test
    void theDriverIsToldOfLimits() {
        assertThat(driverUrl("mariadb://me:x@localhost/db?timeout=2s"))
                .contains("socketTimeout=2000")
                .contains("innodb_lock_wait_timeout=1")
                .contains("max_statement_time=1.800")
                .doesNotContain("me:x");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    mariadb:host/db                            | is not a MariaDB URL
                    mariadb://me:s3cret@host                   | names no database
                    mariadb://me:s3cret@a,b/db                 | names several hosts
                    mariadb://me:s3cret@host/db?schema=x       | unknown options
                    mariadb://me:s3cret@host/db?timeout=1ms    | must be from 1s to 1m
                    mariadb://me:s3cret@host/db?keyStore=a%26b | the driver cannot take
                    """)
    void mistakesAreNamedWithoutThePassword(String url, String said) {
        assertThatThrownBy(() -> driverUrl(url))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining(said)
                .hasMessageNotContaining("cret");
    }

    private static String driverUrl(String text) {
        StoreUrl url = StoreUrl.parse(text);
        return ((MariaDbDataSource)
                        MariaDbUrl.dataSource(MariaDbUrl.of(url), MariaDbUrl.settings(MariaDbUrl.of(url), url)))
                .getUrl();
    }
}
