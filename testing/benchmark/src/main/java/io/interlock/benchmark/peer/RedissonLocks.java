package io.interlock.benchmark.peer;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's lock with its watchdog, which is its way to renew. */
public final class RedissonLocks implements LockPeer {

    /** What tables call it. */
    public static final String NAME = "Redisson";

    private final int port;
    private final RedissonClient client;
    private @Nullable RedissonClient other;

    private RedissonLocks(int port) {
        this.port = port;
        this.client = connect(port);
    }

    /** Opens it. */
    public static RedissonLocks open(int port) {
        return new RedissonLocks(port);
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
    public void holdElsewhere(Collection<String> keys) {
        RedissonClient elsewhere = connect(port);
        other = elsewhere;
        keys.forEach(key -> elsewhere.getLock(key).lock());
    }

    @Override
    public void close() {
        client.shutdown();
        if (other != null) {
            other.shutdown();
        }
    }

    private static RedissonClient connect(int port) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
        return Redisson.create(config);
    }
}
