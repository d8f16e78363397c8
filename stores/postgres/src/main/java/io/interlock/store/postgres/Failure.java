package io.interlock.store.postgres;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/** What an error of the driver means for the call that met it. */
enum Failure {
    /** Rolled back because of others; the same call may succeed now. */
    CONFLICT,
    /** The connection or the server went away. The call may have taken effect; the same ids may be sent again. */
    BROKEN,
    /** Neither a conflict nor a broken connection: asking again will not help. */
    FINAL;

    private static final Set<String> CONFLICTS = Set.of("40001", "40P01", "55P03");
    private static final Set<String> SHUTDOWNS = Set.of("57P01", "57P02", "57P03", "57P05");

    static Failure of(SQLException error) {
        // 08004 is how the driver says that it was turned away; everything else in class 08 is a broken connection.
        String state = stateOf(error);
        if (CONFLICTS.contains(state)) {
            return CONFLICT;
        }
        boolean connection = state.startsWith("08") && !state.equals("08004");
        return connection || SHUTDOWNS.contains(state) ? BROKEN : FINAL;
    }

    /** The SQLSTATE; of a pool's timeout, that of the connection attempt behind it. */
    static String stateOf(SQLException error) {
        if (error instanceof SQLTransientConnectionException && error.getCause() instanceof SQLException behind) {
            return stateOf(behind);
        }
        String state = error.getSQLState();
        return state == null ? "" : state;
    }
}
