package io.interlock.store.sqlite;

import java.sql.SQLException;

/** Opens connections to the file of one store. Safe for use by many threads. */
interface Connector {

    /** Which store, for messages. */
    String store();

    /** The time a call has from now on. */
    WaitDeadline patience();

    /** A connection to the file, which is there already. */
    FileConnection open() throws SQLException;

    /** The side file at which processes take turns. */
    TurnFile turns();

    /**
     * Called before each use of a connection: makes sure that the store's path still names the file it was opened with. If
     * it does not, others may meet in another file by now, and nothing said about keys in this one would count.
     *
     * @throws io.interlock.StoreUnavailableException if the file was moved, deleted or replaced
     */
    void check(FileConnection connection) throws SQLException;
}
