package io.interlock.store.firestore;

import io.interlock.tck.LeaseStoreContract;
import io.interlock.tck.StoreHarness;

class FirestoreLeaseStoreTest extends LeaseStoreContract {

    @Override
    protected StoreHarness createHarness() {
        return new FirestoreHarness();
    }
}
