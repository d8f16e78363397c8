package io.interlock.store.postgres;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.servers.RewrittenSql;
import io.interlock.spi.run.RunStore;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.TableNames;
import io.interlock.tck.SameAnswersContract;
import io.interlock.tck.StandingTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterEach;

/** PostgreSQL and memory side by side. */
class LikeMemoryTest extends SameAnswersContract {

    private final PostgresHarness harness = new PostgresHarness();
    private final HikariDataSource pool = new HikariDataSource();

    @AfterEach
    void drop() {
        pool.close();
        harness.close();
    }

    @Override
    protected RunStore open(StandingTime time) {
        pool.setJdbcUrl("jdbc:postgresql://localhost:" + harness.server().port() + "/postgres");
        pool.setUsername("postgres");
        return PostgresStore.on(
                RewrittenSql.of(pool, sql -> sql.replace(PostgresDialect.CLOCK, micros(time.now()))),
                harness.schema(),
                TableNames.DEFAULT_PREFIX,
                SchemaMode.APPLY,
                time);
    }

    private static String micros(Instant moment) {
        return "CAST(" + ChronoUnit.MICROS.between(Instant.EPOCH, moment) + " AS bigint)";
    }
}
