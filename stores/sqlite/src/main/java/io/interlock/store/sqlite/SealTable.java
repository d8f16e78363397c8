package io.interlock.store.sqlite;

import io.interlock.run.AuditRecord;
import io.interlock.run.Seal;
import io.interlock.spi.run.AuditLog;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The tables {@code seal} and {@code seal_anchor}, on one session. */
final class SealTable {

    private static final String HEAD =
            "SELECT position, sequence, hash FROM ${schema}.${prefix}seal WHERE position > 0 ORDER BY position DESC LIMIT 1";

    private static final String ANCHOR = "SELECT position, sequence, hash FROM ${schema}.${prefix}seal_anchor";

    private static final String AFTER = """
            SELECT position, sequence, hash FROM ${schema}.${prefix}seal WHERE position > ? ORDER BY position LIMIT ?
            """;

    private static final String ADD = "INSERT INTO ${schema}.${prefix}seal (position, sequence, hash) VALUES (?, ?, ?)";

    private static final String PUT_ANCHOR = """
            REPLACE INTO ${schema}.${prefix}seal_anchor (position, sequence, hash, one) VALUES (?, ?, ?, 1)
            """;

    private static final String CUT = "DELETE FROM ${schema}.${prefix}seal WHERE position <= ?";

    private final Session session;

    SealTable(Session session) {
        this.session = session;
    }

    /** The last link. */
    Seal head() throws SQLException {
        List<Seal> last = seals(session.prepare(HEAD));
        return last.isEmpty() ? anchor() : last.get(0);
    }

    /** The last link whose record was forgotten. */
    Seal anchor() throws SQLException {
        List<Seal> anchor = seals(session.prepare(ANCHOR));
        return anchor.isEmpty() ? Seal.GENESIS : anchor.get(0);
    }

    void add(List<Seal> links) throws SQLException {
        for (Seal link : links) {
            bound(ADD, link).executeUpdate();
        }
    }

    /** Links after a position, each with its record. */
    List<AuditLog.Sealed> after(long position, int limit) throws SQLException {
        PreparedStatement after = session.prepare(AFTER);
        after.setLong(1, position);
        after.setInt(2, limit);
        AuditTable records = new AuditTable(session);
        List<AuditLog.Sealed> found = new ArrayList<>();
        for (Seal link : seals(after)) {
            found.add(new AuditLog.Sealed(link, records.find(link.sequence())));
        }
        return found;
    }

    /**
     * Forgets sealed records made at {@code then} or before, from the beginning of the chain on; a record that somebody has
     * taken away stops it, so that this is seen for ever.
     *
     * @return how many
     */
    int forget(long then, int limit, Step step) throws SQLException {
        AuditTable records = new AuditTable(session);
        int forgotten = 0;
        Seal last = anchor();
        for (AuditLog.Sealed link : after(last.position(), limit)) {
            AuditRecord record = link.record();
            if (record == null || Micros.of(record.at()) > then) {
                break;
            }
            if (step.mayWrite()) {
                records.delete(record.sequence());
            }
            last = link.seal();
            forgotten++;
        }
        if (forgotten > 0 && step.mayWrite()) {
            bound(PUT_ANCHOR, last).executeUpdate();
            PreparedStatement cut = session.prepare(CUT);
            cut.setLong(1, last.position());
            cut.executeUpdate();
        }
        return forgotten;
    }

    private PreparedStatement bound(String sql, Seal link) throws SQLException {
        PreparedStatement statement = session.prepare(sql);
        statement.setLong(1, link.position());
        statement.setLong(2, link.sequence());
        statement.setString(3, link.hash());
        return statement;
    }

    private static List<Seal> seals(PreparedStatement query) throws SQLException {
        List<Seal> found = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                found.add(new Seal(rows.getLong(1), rows.getLong(2), rows.getString(3)));
            }
        }
        return found;
    }
}
