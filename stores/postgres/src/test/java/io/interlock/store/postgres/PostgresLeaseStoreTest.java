package io.interlock.store.postgres;

import io.interlock.tck.LeaseStoreContract;
import io.interlock.tck.StoreHarness;

class PostgresLeaseStoreTest extends LeaseStoreContract {

    @Override
    protected StoreHarness createHarness() {
        return new PostgresHarness();
    }
}
