package io.interlock.server.locks;

import io.interlock.servers.PostgresServer;

/** The same on PostgreSQL. */
class PostgresLocksTest extends LocksTest {

    @Override
    String store() {
        PostgresServer.shared().execute("CREATE SCHEMA lockstest");
        return PostgresServer.shared().url("schema=lockstest");
    }
}
