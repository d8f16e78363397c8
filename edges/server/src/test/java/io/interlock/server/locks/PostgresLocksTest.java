package io.interlock.server.locks;

import io.interlock.server.TestStore;

/** The same on PostgreSQL. */
class PostgresLocksTest extends LocksTest {

    @Override
    protected TestStore on() {
        return TestStore.POSTGRES;
    }
}
