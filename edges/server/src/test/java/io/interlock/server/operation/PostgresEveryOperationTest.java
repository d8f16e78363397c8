package io.interlock.server.operation;

import io.interlock.server.TestStore;

/** The same on PostgreSQL. */
class PostgresEveryOperationTest extends EveryOperationTest {

    @Override
    protected TestStore on() {
        return TestStore.POSTGRES;
    }
}
