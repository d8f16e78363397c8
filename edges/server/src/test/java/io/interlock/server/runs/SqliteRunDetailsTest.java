package io.interlock.server.runs;

import io.interlock.server.TestStore;

/** The same on a file. */
class SqliteRunDetailsTest extends RunDetailsTest {

    @Override
    protected TestStore on() {
        return TestStore.SQLITE;
    }
}
