package io.interlock.server.runs;

import io.interlock.server.TestStore;

/** The same on PostgreSQL. */
class PostgresRunsTest extends RunsTest {

    @Override
    protected TestStore on() {
        return TestStore.POSTGRES;
    }
}
