package io.interlock.store.redis;

import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreFactory;
import io.interlock.spi.StoreUrl;
import io.interlock.time.Environment;
import java.util.Set;

/** Opens {@code redis://[user:password@]host:port/db?…}, and {@code rediss://} for TLS. */
public final class RedisStoreFactory implements StoreFactory {

    /** For the service loader. */
    public RedisStoreFactory() {}

    @Override
    public Set<String> schemes() {
        return Set.of("redis", "rediss");
    }

    @Override
    public LeaseStore open(StoreUrl url, Environment environment) {
        return RedisStore.open(RedisSettings.of(url), environment);
    }
}
