package io.interlock.server.operation;

import io.interlock.server.TestStore;

/** The same on PostgreSQL. */
class PostgresAdminTest extends AdminTest {

    @Override
    protected TestStore on() {
        return TestStore.POSTGRES;
    }
}
