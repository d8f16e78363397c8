package io.interlock.server.runs;

import io.interlock.servers.PostgresServer;

/** The same on PostgreSQL. */
class PostgresRunsTest extends RunsTest {

    @Override
    String store() {
        PostgresServer.shared().execute("CREATE SCHEMA runstest");
        return PostgresServer.shared().url("schema=runstest");
    }
}
