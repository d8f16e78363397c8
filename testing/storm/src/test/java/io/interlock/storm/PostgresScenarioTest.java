package io.interlock.storm;

import io.interlock.engine.ScenarioContract;
import io.interlock.store.postgres.PostgresHarness;
import io.interlock.tck.RunStoreHarness;

class PostgresScenarioTest extends ScenarioContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new PostgresHarness();
    }
}
