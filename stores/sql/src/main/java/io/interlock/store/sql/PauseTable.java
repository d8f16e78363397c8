package io.interlock.store.sql;

import io.interlock.run.Pause;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The table {@code pause}: pauses in force, and those that have ended and whose keys are not all settled yet. */
final class PauseTable {

    static final String COLUMNS = "p.tenant, p.pattern, p.actor, p.reason, p.since, p.until";
    private static final String IN_FORCE = "SELECT " + COLUMNS
            + " FROM ${rows:k(tenant text)} JOIN ${t:pause} AS p ON p.tenant = k.tenant WHERE p.resumed = 0"
            + " ORDER BY p.since, p.pattern";

    private PauseTable() {}

    /** The pauses of some tenants that have not been resumed, also those that have ended by themselves. */
    static Trip.Answer<List<Pause>> inForce(Trip trip, Rows tenants) {
        return trip.list(IN_FORCE, PauseTable::read, tenants);
    }

    static Pause read(ResultSet row) throws SQLException {
        return new Pause(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                Micros.moment(row.getLong(5)),
                Micros.read(row, 6));
    }
}
