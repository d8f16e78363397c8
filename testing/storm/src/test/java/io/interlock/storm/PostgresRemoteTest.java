package io.interlock.storm;

import io.interlock.engine.RemoteContract;
import io.interlock.store.postgres.PostgresHarness;
import io.interlock.tck.RunStoreHarness;

class PostgresRemoteTest extends RemoteContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new PostgresHarness();
    }
}
