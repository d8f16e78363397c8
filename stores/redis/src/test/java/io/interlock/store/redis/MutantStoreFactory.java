package io.interlock.store.redis;

import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreFactory;
import io.interlock.spi.StoreUrl;
import io.interlock.time.Environment;
import java.util.Map;
import java.util.Set;

/** Opens {@code wrong-redis://host:port/db?mutant=NAME}: a Redis client with one mistake, for other processes. */
public final class MutantStoreFactory implements StoreFactory {

    /** For the service loader. */
    public MutantStoreFactory() {}

    static String url(String honest, ProcessMutant mutant) {
        return "wrong-" + honest + "?mutant=" + mutant;
    }

    @Override
    public Set<String> schemes() {
        return Set.of("wrong-redis");
    }

    @Override
    public LeaseStore open(StoreUrl url, Environment environment) {
        ProcessMutant mutant = ProcessMutant.valueOf(url.option("mutant", ""));
        StoreUrl honest = new StoreUrl("redis", url.rest(), Map.of());
        return mutant.client(RedisStore.open(RedisSettings.of(honest), environment));
    }
}
