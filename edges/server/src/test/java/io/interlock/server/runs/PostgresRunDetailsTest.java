package io.interlock.server.runs;

import io.interlock.server.TestStore;

/** The same on PostgreSQL. */
class PostgresRunDetailsTest extends RunDetailsTest {

    @Override
    protected TestStore on() {
        return TestStore.POSTGRES;
    }
}
