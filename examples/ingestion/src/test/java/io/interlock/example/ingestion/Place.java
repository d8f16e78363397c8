package io.interlock.example.ingestion;

import io.interlock.servers.PostgresServer;
import java.nio.file.Path;

/**
 * The store and database of a test.
 *
 * @param store of the servers
 * @param database of the events, as a JDBC URL
 */
record Place(String store, String database) {

    static Place files(Path folder) {
        return new Place("sqlite:" + folder.resolve("interlock.db"), "jdbc:sqlite:" + folder.resolve("races.db"));
    }

    /** A new database {@code name} for both. */
    static Place postgres(String name) {
        PostgresServer server = PostgresServer.shared();
        server.execute("CREATE DATABASE " + name);
        String where = "localhost:" + server.port() + "/" + name;
        return new Place("postgresql://postgres@" + where, "jdbc:postgresql://" + where + "?user=postgres");
    }
}
