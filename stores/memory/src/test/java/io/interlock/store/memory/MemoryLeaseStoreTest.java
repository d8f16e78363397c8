package io.interlock.store.memory;

import io.interlock.tck.LeaseStoreContract;
import io.interlock.tck.StoreHarness;

class MemoryLeaseStoreTest extends LeaseStoreContract {

    @Override
    protected StoreHarness createHarness() {
        return new MemoryHarness();
    }
}
