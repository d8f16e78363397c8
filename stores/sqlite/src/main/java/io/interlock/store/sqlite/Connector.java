package io.interlock.store.sqlite;

import java.sql.SQLException;

/** Opens sessions on the file of one store. Safe for use by many threads. */
interface Connector {

    /** Which store, for messages. */
    String store();

    /** The time a call has from now on. */
    Patience patience();

    /** A session on the file, which is there already. */
    Session open() throws SQLException;

    /**
     * Called before each use of a session: makes sure that the store's path still names the file it was opened with. If it
     * does not, others may meet in another file by now, and nothing said about keys in this one would count.
     *
     * @throws io.interlock.StoreUnavailableException if the file was moved, deleted or replaced
     */
    void check(Session session) throws SQLException;
}
