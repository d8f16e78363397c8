package io.interlock.storm;

import io.interlock.engine.EngineCallerContract;
import io.interlock.store.postgres.PostgresHarness;
import io.interlock.tck.RunStoreHarness;

class PostgresCallerTest extends EngineCallerContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new PostgresHarness();
    }
}
