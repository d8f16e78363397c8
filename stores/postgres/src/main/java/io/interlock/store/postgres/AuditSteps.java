package io.interlock.store.postgres;

import io.interlock.LockKey;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.Seal;
import io.interlock.spi.run.AuditLog.Sealed;
import java.sql.SQLException;
import java.util.List;

/** Reading the audit log and sealing it, each as one statement. */
final class AuditSteps {

    private AuditSteps() {}

    /**
     * The two ends of the chain.
     *
     * @param head the last link
     * @param anchor the last one whose record was forgotten
     */
    record Ends(Seal head, Seal anchor) {}

    static Lane.Step<List<AuditRecord>> records(RunCall call, AuditQuery query) {
        LockKey key = query.key();
        String action = query.action();
        return call.rows(
                "audit_records(?, ?, ?, ?, ?, ?, ?, ?)",
                (statement, patience) -> {
                    statement.setString(1, query.tenant());
                    statement.setString(2, key == null ? null : key.tenant());
                    statement.setString(3, key == null ? null : key.name());
                    statement.setObject(
                            4, query.run() == null ? null : query.run().value(), java.sql.Types.OTHER);
                    statement.setString(5, action == null ? null : Texts.shown(action));
                    Moments.set(statement, 6, query.since());
                    statement.setLong(7, query.before());
                    statement.setInt(8, query.limit());
                },
                rows -> RunReads.each(rows, RunReads::audited));
    }

    static Lane.Step<List<AuditRecord>> unsealed(RunCall call, int limit) {
        return call.rows(
                "unsealed_records(?)",
                (statement, patience) -> statement.setInt(1, limit),
                rows -> RunReads.each(rows, RunReads::audited));
    }

    static Lane.Step<Ends> ends(RunCall call) {
        return call.rows(
                "chain_ends()",
                (statement, patience) -> {},
                rows -> RunReads.each(rows, row -> new Ends(link(row, ""), link(row, "anchor_")))
                        .get(0));
    }

    /** Adds links; answers {@code sealed}, {@code other} or {@code same}. */
    static Lane.Step<String> seal(RunCall call, Seal head, List<Seal> links) {
        return call.rows(
                "add_seals(?, ?, ?, ?, ?, ?, ?)",
                (statement, patience) -> {
                    statement.setInt(1, patience);
                    statement.setLong(2, head.position());
                    statement.setLong(3, head.sequence());
                    statement.setString(4, head.hash());
                    new SqlArrays(statement, 5)
                            .each("int8", links, Seal::position)
                            .each("int8", links, Seal::sequence)
                            .each("text", links, Seal::hash);
                },
                rows -> RunReads.each(rows, row -> row.requireText("verdict")).get(0));
    }

    static Lane.Step<List<Sealed>> sealed(RunCall call, long after, int limit) {
        return call.rows(
                "sealed_records(?, ?)",
                (statement, patience) -> {
                    statement.setLong(1, after);
                    statement.setInt(2, limit);
                },
                rows -> RunReads.each(
                        rows,
                        row -> new Sealed(
                                link(row, "link_"), row.longNumber("seq") == null ? null : RunReads.audited(row))));
    }

    private static Seal link(Columns row, String prefix) throws SQLException {
        return new Seal(
                row.requireLong(prefix + "position"),
                row.requireLong(prefix + "seq"),
                row.requireText(prefix + "hash"));
    }
}
