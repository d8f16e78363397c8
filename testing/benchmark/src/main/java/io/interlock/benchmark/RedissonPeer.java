package io.interlock.benchmark;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's lock with its watchdog, which is its way to renew. */
final class RedissonPeer implements Peer {

    private final RedissonClient client;
    private final RedissonClient other;

    RedissonPeer(int port) {
        client = connect(port);
        other = connect(port);
        for (int thread = 0; thread < Measurement.MAX_THREADS; thread++) {
            other.getLock("held/" + thread).lock();
        }
    }

    @Override
    public String name() {
        return "redisson";
    }

    @Override
    public Held take(String key) {
        RLock lock = client.getLock(key);
        if (!lock.tryLock()) {
            throw new IllegalStateException(key + " should be free");
        }
        return lock::unlock;
    }

    @Override
    public boolean isRefused(String key) {
        return !client.getLock(key).tryLock();
    }

    @Override
    public void close() {
        client.shutdown();
        other.shutdown();
    }

    private static RedissonClient connect(int port) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
        return Redisson.create(config);
    }
}
