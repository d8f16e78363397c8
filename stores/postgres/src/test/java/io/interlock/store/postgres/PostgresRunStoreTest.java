package io.interlock.store.postgres;

import io.interlock.tck.RunStoreContract;
import io.interlock.tck.RunStoreHarness;

class PostgresRunStoreTest extends RunStoreContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new PostgresHarness();
    }
}
