package io.interlock.storm;

import io.interlock.engine.BackgroundContract;
import io.interlock.store.postgres.PostgresHarness;
import io.interlock.tck.RunStoreHarness;

class PostgresBackgroundTest extends BackgroundContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new PostgresHarness();
    }
}
