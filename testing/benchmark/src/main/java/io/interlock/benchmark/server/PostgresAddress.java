package io.interlock.benchmark.server;

/**
 * Where a database is.
 *
 * @param port the server's, or that of a {@link TcpProxy} before it
 * @param database its name
 */
public record PostgresAddress(int port, String database) {

    /** For drivers. */
    public String jdbcUrl() {
        return "jdbc:postgresql://localhost:" + port + "/" + database + "?user=postgres";
    }

    /** For Interlock. */
    public String storeUrl() {
        return "postgresql://postgres@localhost:" + port + "/" + database;
    }

    /** The same database through a proxy. */
    public PostgresAddress through(TcpProxy proxy) {
        return new PostgresAddress(proxy.port(), database);
    }
}
