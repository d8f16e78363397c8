package io.interlock.store.sql;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.AuditRecord;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The rows of the table {@code audit} as they are read; {@link StepWriter#row} says how they are written. */
final class AuditRows {

    /** Of {@code audit AS a}, which {@link #read} reads. */
    static final String COLUMNS = """
            a.sequence, a.at, a.tenant, a.name, a.run_id, a.token, a.actor, a.action, a.state_before, a.state_after, a.reason,
            a.correlation, a.address""";

    private AuditRows() {}

    static List<AuditRecord> read(ResultSet rows) throws SQLException {
        List<AuditRecord> found = new ArrayList<>();
        while (rows.next()) {
            String run = rows.getString(5);
            Long token = KeyRow.number(rows, 6);
            found.add(new AuditRecord(
                    rows.getLong(1),
                    Micros.moment(rows.getLong(2)),
                    LockKey.of(rows.getString(3), rows.getString(4)),
                    run == null ? null : RunId.parse(run),
                    token == null ? null : new FencingToken(token),
                    rows.getString(7),
                    rows.getString(8),
                    rows.getString(9),
                    rows.getString(10),
                    rows.getString(11),
                    rows.getString(12),
                    rows.getString(13)));
        }
        return found;
    }
}
