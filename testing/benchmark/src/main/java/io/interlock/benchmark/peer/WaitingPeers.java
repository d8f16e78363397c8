package io.interlock.benchmark.peer;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockKey;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.locks.Lease;
import io.interlock.locks.Locks;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Those that can wait for a lock; ShedLock cannot. */
public final class WaitingPeers {

    /** What tables call Spring Integration's lock registry on JDBC. */
    public static final String SPRING = "Spring Integration JDBC";

    private static final Duration LONG = Duration.ofMinutes(2);

    private WaitingPeers() {}

    /** Interlock. */
    public static WaitingPeer interlock(PostgresAddress address) {
        return () -> {
            Locks locks = Locks.open(address.storeUrl());
            return client(locks, key -> {
                Lease lease = locks.acquire(LockKey.of(key), LONG).orElseThrow();
                return lease::release;
            });
        };
    }

    /** Spring Integration's registry with its defaults, which looks every 100 ms. Makes its table. */
    public static WaitingPeer springIntegration(PostgresAddress address) throws SQLException {
        try (HikariDataSource pool = Pools.open(address, 1)) {
            Pools.execute(
                    pool,
                    "CREATE TABLE IF NOT EXISTS INT_LOCK (LOCK_KEY char(36) NOT NULL, REGION varchar(100) NOT NULL,"
                            + " CLIENT_ID char(36), CREATED_DATE timestamp NOT NULL, EXPIRED_AFTER timestamp NOT NULL,"
                            + " CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION))");
        }
        return () -> {
            HikariDataSource pool = Pools.open(address, 2);
            DefaultLockRepository repository = new DefaultLockRepository(pool);
            repository.setTransactionManager(new DataSourceTransactionManager(pool));
            repository.afterPropertiesSet();
            repository.afterSingletonsInstantiated();
            JdbcLockRegistry registry = new JdbcLockRegistry(repository);
            return client(pool, key -> {
                Lock lock = registry.obtain(key);
                lock.lockInterruptibly();
                return lock::unlock;
            });
        };
    }

    /** Redisson's lock with its watchdog. */
    public static WaitingPeer redisson(int port) {
        return () -> {
            Config config = new Config().setNettyThreads(2).setThreads(2);
            config.useSingleServer()
                    .setAddress("redis://127.0.0.1:" + port)
                    .setConnectionMinimumIdleSize(1)
                    .setConnectionPoolSize(4)
                    .setSubscriptionConnectionMinimumIdleSize(1)
                    .setSubscriptionConnectionPoolSize(2);
            RedissonClient client = Redisson.create(config);
            return client(client::shutdown, key -> {
                RLock lock = client.getLock(key);
                lock.lockInterruptibly();
                return lock::unlock;
            });
        };
    }

    private static WaitingPeer.Client client(AutoCloseable closing, Waiting waiting) {
        return new WaitingPeer.Client() {
            @Override
            public LockPeer.Held await(String key) throws Exception {
                return waiting.await(key);
            }

            @Override
            public void close() throws Exception {
                closing.close();
            }
        };
    }

    private interface Waiting {
        LockPeer.Held await(String key) throws Exception;
    }
}
