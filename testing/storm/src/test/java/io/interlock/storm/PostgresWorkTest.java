package io.interlock.storm;

import io.interlock.engine.WorkContract;
import io.interlock.store.postgres.PostgresHarness;
import io.interlock.tck.RunStoreHarness;

class PostgresWorkTest extends WorkContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new PostgresHarness();
    }
}
