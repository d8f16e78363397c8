package io.interlock.store.sql;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * How a database lets one process at a time change its schema: PostgreSQL by {@code pg_advisory_xact_lock}, SQLite by
 * {@code BEGIN IMMEDIATE}.
 */
@FunctionalInterface
public interface MigrationLock {

    /**
     * Runs {@code work} in one transaction while no other process runs any: commits if it returns, rolls back if it throws. The
     * schema that the tables live in is there when {@code work} begins.
     */
    void alone(Connection connection, Work work) throws SQLException;

    /** What is done in the transaction. */
    @FunctionalInterface
    interface Work {

        /** Does it. */
        void run() throws SQLException;
    }
}
