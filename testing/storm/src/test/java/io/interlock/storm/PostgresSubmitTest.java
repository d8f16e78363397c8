package io.interlock.storm;

import io.interlock.engine.SubmitContract;
import io.interlock.store.postgres.PostgresHarness;
import io.interlock.tck.RunStoreHarness;

class PostgresSubmitTest extends SubmitContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new PostgresHarness();
    }
}
