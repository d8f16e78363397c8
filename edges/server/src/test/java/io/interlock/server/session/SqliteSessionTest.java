package io.interlock.server.session;

import io.interlock.server.TestStore;

/** The same on a file. */
class SqliteSessionTest extends SessionTest {

    @Override
    protected TestStore on() {
        return TestStore.SQLITE;
    }
}
