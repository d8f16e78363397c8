package io.interlock.store.redis;

import io.interlock.tck.LeaseStoreContract;
import io.interlock.tck.StoreHarness;

class RedisLeaseStoreTest extends LeaseStoreContract {

    @Override
    protected StoreHarness createHarness() {
        return new RedisHarness();
    }
}
