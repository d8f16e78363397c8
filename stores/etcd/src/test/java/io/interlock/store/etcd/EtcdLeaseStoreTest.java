package io.interlock.store.etcd;

import io.interlock.tck.LeaseStoreContract;
import io.interlock.tck.StoreHarness;

class EtcdLeaseStoreTest extends LeaseStoreContract {

    @Override
    protected StoreHarness createHarness() {
        return new EtcdHarness();
    }
}
