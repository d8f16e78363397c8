package io.interlock.store.mariadb;

import io.interlock.tck.RunStoreContract;
import io.interlock.tck.RunStoreHarness;

class MariaDbRunStoreTest extends RunStoreContract {

    @Override
    protected RunStoreHarness createHarness() {
        return MariaDbHarness.create();
    }
}
