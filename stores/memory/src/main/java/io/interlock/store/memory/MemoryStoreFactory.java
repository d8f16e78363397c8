package io.interlock.store.memory;

import io.interlock.InvalidSettingException;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreFactory;
import io.interlock.spi.StoreUrl;
import io.interlock.time.Environment;
import java.util.Set;

/** Opens {@code memory:}, each time a new, empty store; {@code memory:?maxLease=10m} allows longer leases. */
public final class MemoryStoreFactory implements StoreFactory {

    private static final String MAX_LEASE = "maxLease";

    @Override
    public Set<String> schemes() {
        return Set.of(MemoryStore.NAME);
    }

    @Override
    public LeaseStore open(StoreUrl url, Environment environment) {
        url.allowOnly(Set.of(MAX_LEASE));
        if (!url.rest().isEmpty()) {
            throw new InvalidSettingException(
                    "store", url, "names a place, but memory has none", "write memory: alone, optionally with options");
        }
        return new MemoryStore(environment, url.duration(MAX_LEASE, MemoryStore.DEFAULT_MAX_LEASE));
    }
}
