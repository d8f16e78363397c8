package io.interlock.server.runs;

import io.interlock.servers.PostgresServer;

/** The same on PostgreSQL. */
class PostgresRunDetailsTest extends RunDetailsTest {

    @Override
    String store() {
        PostgresServer.shared().execute("CREATE SCHEMA rundetailstest");
        return PostgresServer.shared().url("schema=rundetailstest");
    }
}
