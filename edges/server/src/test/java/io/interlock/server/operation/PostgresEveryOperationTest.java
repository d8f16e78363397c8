package io.interlock.server.operation;

import io.interlock.servers.PostgresServer;

/** The same on PostgreSQL. */
class PostgresEveryOperationTest extends EveryOperationTest {

    @Override
    String store() {
        PostgresServer.shared().execute("CREATE SCHEMA everyoperationtest");
        return PostgresServer.shared().url("schema=everyoperationtest");
    }
}
