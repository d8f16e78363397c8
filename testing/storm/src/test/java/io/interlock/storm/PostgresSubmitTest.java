package io.interlock.storm;

import io.interlock.engine.EngineSubmitContract;
import io.interlock.store.postgres.PostgresHarness;
import io.interlock.tck.RunStoreHarness;

class PostgresSubmitTest extends EngineSubmitContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new PostgresHarness();
    }
}
