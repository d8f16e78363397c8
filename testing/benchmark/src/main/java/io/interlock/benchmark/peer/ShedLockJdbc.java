package io.interlock.benchmark.peer;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.benchmark.server.PostgresAddress;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock on PostgreSQL with database time, as its documentation advises. */
public final class ShedLockJdbc implements LockPeer {

    /** What tables call it. */
    public static final String NAME = "ShedLock JDBC";

    private static final Duration LONG = Duration.ofMinutes(5);

    private final HikariDataSource pool;
    private final JdbcTemplateLockProvider provider;
    private final List<SimpleLock> held = new ArrayList<>();

    private ShedLockJdbc(HikariDataSource pool) {
        this.pool = pool;
        this.provider = provider(pool);
    }

    /** Opens it, and makes its table. */
    public static ShedLockJdbc open(PostgresAddress address) throws SQLException {
        HikariDataSource pool = Pools.open(address, Pools.SIZE);
        Pools.execute(
                pool,
                "CREATE TABLE IF NOT EXISTS shedlock(name varchar(64) PRIMARY KEY, lock_until timestamp NOT NULL,"
                        + " locked_at timestamp NOT NULL, locked_by varchar(255) NOT NULL)");
        return new ShedLockJdbc(pool);
    }

    /** Another client of the same table, which knows nothing of what this one did. */
    public ShedLockJdbc another() {
        return new ShedLockJdbc(pool);
    }

    /** Takes a free key for {@code time}. */
    public SimpleLock lock(String key, Duration time) {
        return tryLock(key, time).orElseThrow(() -> new IllegalStateException(key + " should be free"));
    }

    @Override
    public Held take(String key) {
        return lock(key, LONG)::unlock;
    }

    @Override
    public boolean isRefused(String key) {
        return tryLock(key, LONG).isEmpty();
    }

    @Override
    public void holdElsewhere(Collection<String> keys) {
        ShedLockJdbc elsewhere = another();
        keys.forEach(key -> held.add(elsewhere.lock(key, LONG)));
    }

    @Override
    public void close() {
        held.forEach(SimpleLock::unlock);
        pool.close();
    }

    private Optional<SimpleLock> tryLock(String key, Duration time) {
        return provider.lock(new LockConfiguration(Instant.now(), key, time, Duration.ZERO));
    }

    private static JdbcTemplateLockProvider provider(HikariDataSource pool) {
        return new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
    }
}
