package io.interlock.server.locks;

import io.interlock.server.TestStore;

/** The same on a file. */
class SqliteLocksTest extends LocksTest {

    @Override
    protected TestStore on() {
        return TestStore.SQLITE;
    }
}
