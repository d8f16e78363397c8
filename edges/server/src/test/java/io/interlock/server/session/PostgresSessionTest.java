package io.interlock.server.session;

import io.interlock.server.TestStore;

/** The same on PostgreSQL. */
class PostgresSessionTest extends SessionTest {

    @Override
    protected TestStore on() {
        return TestStore.POSTGRES;
    }
}
