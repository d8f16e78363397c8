package io.interlock.store.mariadb;

import io.interlock.servers.RewrittenSql;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.run.RunStore;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.ServerUrl;
import io.interlock.tck.SameAnswersContract;
import io.interlock.tck.StandingTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;

/** MariaDB and memory side by side. */
class LikeMemoryTest extends SameAnswersContract {

    private final MariaDbHarness harness = MariaDbHarness.create();

    @AfterEach
    void drop() {
        harness.close();
    }

    @Override
    protected RunStore open(StandingTime time) {
        StoreUrl url = StoreUrl.parse(harness.url(""));
        ServerUrl server = MariaDbUrl.of(url);
        ServerSettings settings = MariaDbUrl.settings(server, url);
        DataSource raw = MariaDbUrl.dataSource(server, settings);
        return MariaDbStoreFactory.open(
                RewrittenSql.of(raw, sql -> sql.replace(MariaDbDialect.CLOCK, micros(time.now()))), settings, time);
    }

    private static String micros(Instant moment) {
        return Long.toString(ChronoUnit.MICROS.between(Instant.EPOCH, moment));
    }
}
