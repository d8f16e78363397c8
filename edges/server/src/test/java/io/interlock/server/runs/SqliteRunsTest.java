package io.interlock.server.runs;

import io.interlock.server.TestStore;

/** The same on a file. */
class SqliteRunsTest extends RunsTest {

    @Override
    protected TestStore on() {
        return TestStore.SQLITE;
    }
}
