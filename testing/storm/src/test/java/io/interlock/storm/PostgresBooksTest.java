package io.interlock.storm;

import io.interlock.engine.BooksContract;
import io.interlock.store.postgres.PostgresHarness;
import io.interlock.tck.RunStoreHarness;

class PostgresBooksTest extends BooksContract {

    @Override
    protected RunStoreHarness createHarness() {
        return new PostgresHarness();
    }
}
