package io.interlock.server.operation;

import io.interlock.server.TestStore;

/** The same on PostgreSQL. */
class PostgresHouseTest extends HouseTest {

    @Override
    protected TestStore on() {
        return TestStore.POSTGRES;
    }
}
