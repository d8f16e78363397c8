package io.interlock.store.mariadb;

import io.interlock.tck.LeaseStoreContract;
import io.interlock.tck.StoreHarness;

class MariaDbLeaseStoreTest extends LeaseStoreContract {

    @Override
    protected StoreHarness createHarness() {
        return MariaDbHarness.create();
    }
}
