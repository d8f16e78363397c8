package io.interlock.server.operation;

import io.interlock.server.TestStore;

/** The same on a file. */
class SqliteAdminTest extends AdminTest {

    @Override
    protected TestStore on() {
        return TestStore.SQLITE;
    }
}
