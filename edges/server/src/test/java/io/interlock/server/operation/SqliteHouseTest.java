package io.interlock.server.operation;

import io.interlock.server.TestStore;

/** The same on a file. */
class SqliteHouseTest extends HouseTest {

    @Override
    protected TestStore on() {
        return TestStore.SQLITE;
    }
}
