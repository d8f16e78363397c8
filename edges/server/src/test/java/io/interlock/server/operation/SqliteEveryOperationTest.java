package io.interlock.server.operation;

import io.interlock.server.TestStore;

/** The same on a file. */
class SqliteEveryOperationTest extends EveryOperationTest {

    @Override
    protected TestStore on() {
        return TestStore.SQLITE;
    }
}
