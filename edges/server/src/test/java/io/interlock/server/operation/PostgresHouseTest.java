package io.interlock.server.operation;

import io.interlock.servers.PostgresServer;

/** The same on PostgreSQL. */
class PostgresHouseTest extends HouseTest {

    @Override
    String store() {
        PostgresServer.shared().execute("CREATE SCHEMA housetest");
        return PostgresServer.shared().url("schema=housetest");
    }
}
