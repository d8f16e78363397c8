package io.interlock.benchmark;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock on PostgreSQL with database time, as its documentation advises. */
final class ShedLockPeer implements Peer {

    private final HikariDataSource pool;
    private final JdbcTemplateLockProvider provider;
    private final List<Held> held = new ArrayList<>();

    ShedLockPeer(String jdbcUrl) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(16);
        pool = new HikariDataSource(config);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table shedlock(name varchar(64) primary key, lock_until timestamp not null,"
                    + " locked_at timestamp not null, locked_by varchar(255) not null)");
        }
        provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
        for (int thread = 0; thread < Measurement.MAX_THREADS; thread++) {
            held.add(take("held/" + thread));
        }
    }

    @Override
    public String name() {
        return "shedlock-jdbc";
    }

    @Override
    public Held take(String key) {
        SimpleLock lock = lock(key).orElseThrow();
        return lock::unlock;
    }

    @Override
    public boolean isRefused(String key) {
        return lock(key).isEmpty();
    }

    @Override
    public void close() throws Exception {
        for (Held each : held) {
            each.release();
        }
        pool.close();
    }

    private Optional<SimpleLock> lock(String key) {
        return provider.lock(new LockConfiguration(Instant.now(), key, Duration.ofMinutes(5), Duration.ZERO));
    }
}
