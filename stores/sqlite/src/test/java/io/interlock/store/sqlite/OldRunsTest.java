package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.run.Retention;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Old runs of many tenants are forgotten, in pages that each go on where the last one ended. */
class OldRunsTest {

    private static final String RUNS = """
            WITH RECURSIVE n (i) AS (SELECT %1$d UNION ALL SELECT n.i + 1 FROM n WHERE n.i < %2$d)
            INSERT INTO interlock_run (number, run_id, tenant, name, job, place, submitted_at, since, state, status, spec)
            SELECT n.i, printf('00000000-0000-7000-8000-%%012x', n.i), 't' || (n.i %% 30), 'key', 'load', 0, %3$d, %3$d,
                   'SUCCEEDED', '', '' FROM n""";

    @TempDir
    Path folder;

    @Test
    void ofAllTenantsAndNoYoungOnes() {
        StoreUrl url = StoreUrl.parse("sqlite:" + folder.resolve("runs.db"));
        try (SqlStore store = new SqliteStoreFactory().open(url, Environment.system());
                TestDatabase database = new TestDatabase(folder.resolve("runs.db"))) {
            Instant now = store.views().storeTime();
            database.execute(RUNS.formatted(1, 4500, micros(now.minus(Duration.ofDays(1000)))));
            database.execute(RUNS.formatted(4501, 9000, micros(now)));
            assertThat(IntStream.range(0, 8).map(i -> forget(store)))
                    .allMatch(runs -> runs <= 700)
                    .satisfies(all -> assertThat(
                                    all.stream().mapToInt(runs -> runs).sum())
                            .isEqualTo(4500));
            assertThat(database.number("SELECT min(number) FROM interlock_run")).isEqualTo(4501);
            assertThat(forget(store)).isZero();
            database.execute(RUNS.formatted(1, 30, micros(now.minus(Duration.ofDays(1000)))));
            assertThat(forget(store)).isEqualTo(30);
        }
    }

    private static int forget(SqlStore store) {
        return store.upkeep().forget(Retention.DEFAULT, 700).runs();
    }

    private static long micros(Instant moment) {
        return moment.getEpochSecond() * 1_000_000;
    }
}
