package io.interlock.server.session;

import io.interlock.servers.PostgresServer;

/** The same on PostgreSQL. */
class PostgresSessionTest extends SessionTest {

    @Override
    String store() {
        PostgresServer.shared().execute("CREATE SCHEMA sessiontest");
        return PostgresServer.shared().url("schema=sessiontest");
    }
}
