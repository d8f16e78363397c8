package io.interlock.storm;

import io.interlock.engine.CallerContract;
import io.interlock.store.postgres.PostgresHarness;
import io.interlock.tck.RunStoreHarness;

class PostgresCallerTest extends CallerContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new PostgresHarness();
    }
}
