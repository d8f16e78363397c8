package io.interlock.benchmark.server;

import io.interlock.servers.EtcdCluster;
import java.io.IOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The servers, each started when it is first needed. */
public final class Servers implements AutoCloseable {

    private @Nullable PostgresUnderTest postgres;
    private @Nullable RedisUnderTest redis;
    private @Nullable EtcdCluster etcd;

    /** None is started yet. */
    public Servers() {}

    /** PostgreSQL. */
    public synchronized PostgresUnderTest postgres() throws IOException, SQLException {
        PostgresUnderTest running = postgres;
        if (running == null) {
            running = PostgresUnderTest.start();
            postgres = running;
        }
        return running;
    }

    /** Redis. */
    public synchronized RedisUnderTest redis() throws IOException {
        RedisUnderTest running = redis;
        if (running == null) {
            running = RedisUnderTest.start();
            redis = running;
        }
        return running;
    }

    /** etcd, three members. */
    public synchronized EtcdCluster etcd() {
        EtcdCluster running = etcd;
        if (running == null) {
            running = EtcdCluster.start(3);
            etcd = running;
        }
        return running;
    }

    /** May be called twice. */
    @Override
    public synchronized void close() throws IOException {
        PostgresUnderTest database = postgres;
        RedisUnderTest cache = redis;
        postgres = null;
        EtcdCluster cluster = etcd;
        redis = null;
        etcd = null;
        if (cluster != null) {
            cluster.close();
        }
        try {
            if (database != null) {
                database.close();
            }
        } finally {
            if (cache != null) {
                cache.close();
            }
        }
    }
}
