package io.interlock.storm;

import io.interlock.engine.PolicyContract;
import io.interlock.store.postgres.PostgresHarness;
import io.interlock.tck.RunStoreHarness;

class PostgresPolicyTest extends PolicyContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new PostgresHarness();
    }
}
