package io.interlock.store.mariadb;

import io.interlock.UnsafeStoreException;
import io.interlock.store.sql.ServerDialect;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.Trip;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How MariaDB says it. Where it matters for safety:
 *
 * <ul>
 *   <li><b>Locks go by key.</b> Left alone, the optimizer scans small tables, and a scan that locks waits for rows of other keys.
 *       Given rows come as {@code JSON_TABLE}, are joined in their order, and the table behind them is entered by its primary key.
 *       They are not sorted: a sort would lock all of them, whatever the limit.
 *   <li><b>What is seen may not be on disk.</b> InnoDB frees the locks of a transaction and shows its rows before its log is
 *       flushed. A step that writes waits for a flush of its own, which covers all that it saw. One that writes nothing may refuse:
 *       nothing hangs on a refusal. But an answer that says "done before" (a grant asked for again, a run submitted twice, a run
 *       that has ended) is an acknowledgement, so {@link #flush()} makes it write. Plain reads may show what a power failure within
 *       the same milliseconds undoes.
 *   <li><b>The latch is a row</b> of its own that never changes, locked shared by steps. Numbers of audit records come to light
 *       out of order; a reader that has had the latch alone for a moment knows that none is missing any more.
 *   <li><b>The clock</b> is read by {@code SYSDATE}, in a statement after those that locked. The session's time zone is UTC, or
 *       it would be an hour wrong at the end of summer time.
 * </ul>
 *
 * <p>Safe for use by many threads.
 */
final class MariaDbDialect extends ServerDialect {

    static final String CLOCK = "CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)";

    /** What can be known of a server from inside. A backup that is restored in its place looks the same. */
    static final String IDENTITY = "CONCAT_WS('/', @@server_id, @@hostname, @@port, @@datadir)";

    private static final String TEXT = "longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin";
    private static final String ID = "char(36) CHARACTER SET ascii COLLATE ascii_bin";
    private static final Pattern JOINED_ROWS =
            Pattern.compile("(\\$\\{rows:[^}]*}\\s+)JOIN (\\$\\{t:\\w+} AS \\w+) ON");
    private static final Pattern SORTED_LOCKS =
            Pattern.compile(" ORDER BY [\\w., ]+?(?= (?:LIMIT \\? )?\\$\\{(?:lock|skip):)");

    private static final int DUPLICATE = 1062;
    // Deadlock, lock wait timeout, snapshot too old, statement too long, statement killed.
    private static final Set<Integer> CONFLICTS = Set.of(1213, 1205, 1020, 1969, 1317);
    private static final int TOO_MANY_CONNECTIONS = 1040;

    private final String store;

    MariaDbDialect(ServerSettings settings) {
        super(settings.names());
        store = settings.store();
    }

    @Override
    protected String adapt(String sql) {
        if (!sql.contains("${rows:")) {
            return sql;
        }
        String byKey = JOINED_ROWS.matcher(sql).replaceAll("$1STRAIGHT_JOIN $2 FORCE INDEX (PRIMARY) ON");
        return SORTED_LOCKS.matcher(byKey).replaceAll("");
    }

    @Override
    protected String uuid() {
        return "char(36) CHARACTER SET ascii";
    }

    @Override
    protected String lock(String alias, boolean skip) {
        return skip ? "FOR UPDATE SKIP LOCKED" : "FOR UPDATE";
    }

    @Override
    protected String rows(String alias, List<Column> columns) {
        StringBuilder list = new StringBuilder("pos FOR ORDINALITY");
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            String type = switch (column.type()) {
                case "text" -> TEXT;
                case "uuid" -> ID;
                default -> "bigint";
            };
            list.append(", ").append(column.given()).append(' ').append(type);
            list.append(" PATH '$[").append(i).append("]'");
        }
        return "JSON_TABLE(?, '$[*]' COLUMNS (" + list + ")) AS " + alias;
    }

    @Override
    protected boolean joinsLaterally() {
        return false;
    }

    @Override
    protected String update(String table, String keys, String values) {
        String sets = Column.parse(values).stream()
                .map(column -> "t." + column.name() + " = k." + column.given())
                .collect(Collectors.joining(", "));
        return "UPDATE " + joined(table, keys, keys + ", " + values) + " SET " + sets;
    }

    @Override
    protected String update(String table, String keys, String values, String condition) {
        return update(table, keys, values) + " WHERE " + condition;
    }

    @Override
    protected String delete(String table, String keys) {
        return "DELETE t FROM " + joined(table, keys, keys);
    }

    private static String joined(String table, String keys, String columns) {
        return "${rows:k(" + columns + ")} JOIN ${t:" + table + "} AS t ON " + match(keys);
    }

    // Rows that are there are not locked by this, so that a batch does not wait for them. Nothing is changed if one
    // appears meanwhile; INSERT IGNORE would lead to deadlocks then.
    @Override
    protected String insertMissing(String table, String keys, String values) {
        String columns = values.isEmpty() ? keys : keys + ", " + values;
        String same = Column.parse(keys).stream()
                .map(column -> "e." + column.name() + " = k." + column.name())
                .collect(Collectors.joining(" AND "));
        String first = Column.parse(keys).get(0).name();
        return "INSERT INTO ${t:" + table + "} (" + list(columns) + ") SELECT " + list(columns) + " FROM ${rows:k("
                + columns + ")} WHERE NOT EXISTS (SELECT 1 FROM ${t:" + table + "} AS e WHERE " + same
                + ") ORDER BY k.pos ON DUPLICATE KEY UPDATE " + first + " = VALUES(" + first + ")";
    }

    @Override
    protected String isBehind(String alias) {
        return "((" + alias + ".tenant = ? AND " + alias + ".name > ?) OR " + alias + ".tenant > ?)";
    }

    @Override
    protected String nextNumbers() {
        return "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT n.i + 1 FROM n WHERE n.i < ?) SELECT NEXTVAL("
                + names().table("run_number") + ") FROM n";
    }

    @Override
    protected void latchShared(Trip trip) {
        trip.query("SELECT x.one FROM ${t:latch} AS x WHERE x.one = 1 LOCK IN SHARE MODE", ResultSet::next);
    }

    @Override
    protected void latchAlone(Trip trip) {
        trip.query("SELECT x.one FROM ${t:latch} AS x WHERE x.one = 1 FOR UPDATE", ResultSet::next);
    }

    // Rows of watched keys are looked at.
    @Override
    protected boolean notesWaiters() {
        return false;
    }

    @Override
    protected String flush() {
        return "INSERT INTO ${t:flushed} (slot, times) VALUES (CONNECTION_ID() % 16, 1)"
                + " ON DUPLICATE KEY UPDATE times = times + 1";
    }

    @Override
    protected String clock() {
        return CLOCK;
    }

    @Override
    protected List<String> beginWrite() {
        return List.of("START TRANSACTION");
    }

    @Override
    protected List<String> beginRead() {
        return List.of("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "START TRANSACTION READ ONLY");
    }

    // How commits are flushed can be changed at any time, so it is looked at in every step.
    @Override
    protected String serverColumns() {
        return "s.server, s.server_started, " + IDENTITY + ", @@GLOBAL.innodb_flush_log_at_trx_commit";
    }

    @Override
    protected Server readServer(ResultSet row, int from) throws SQLException {
        requireFlush(store, row.getString(from + 3));
        String known = row.getString(from);
        return new Server(known.equals(row.getString(from + 2)) ? known : "", row.getLong(from + 1));
    }

    /** Refuses a server that answers before a commit is on disk. */
    static void requireFlush(String store, String value) {
        if (!value.equals("1") && !value.equals("3")) {
            throw new UnsafeStoreException(
                    store,
                    "has innodb_flush_log_at_trx_commit=" + value
                            + ": a crash of the machine would lose leases that were granted",
                    "set innodb_flush_log_at_trx_commit=1 in the server's configuration and by SET GLOBAL");
        }
    }

    @Override
    protected AuditNumbers auditNumbers() {
        return new AuditNumbers.Latched(
                "SELECT coalesce(max(t.AUTO_INCREMENT) - 1, 0) FROM information_schema.TABLES AS t"
                        + " WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_NAME = '" + names().prefix() + "audit'");
    }

    @Override
    protected SqlFailure failure(SQLException error) {
        SQLException behind = behind(error);
        if (CONFLICTS.contains(behind.getErrorCode())) {
            return SqlFailure.CONFLICT;
        }
        if (behind.getErrorCode() == DUPLICATE) {
            return SqlFailure.DUPLICATE;
        }
        String state = behind.getSQLState();
        boolean broken = state != null && state.startsWith("08") && behind.getErrorCode() != TOO_MANY_CONNECTIONS;
        return broken ? SqlFailure.BROKEN : SqlFailure.FINAL;
    }

    // It enters an index by constants only, and would walk from the first run at each bit.
    @Override
    protected String lastBefore() {
        return "SELECT x.number FROM ${t:run} AS x WHERE x.tenant = ? AND x.submitted_at < ? ORDER BY x.submitted_at DESC LIMIT 1";
    }

    @Override
    protected String noneBeforeBehind() {
        return "SELECT coalesce((SELECT x.number - 1 FROM ${t:run} AS x WHERE x.tenant = ? AND x.submitted_at >= ?"
                + " ORDER BY x.submitted_at LIMIT 1), 9223372036854775807)";
    }

    // It goes from name to name for DISTINCT by itself, and ends recursions after a thousand steps.
    @Override
    protected String namesOfRuns() {
        return """
                SELECT n.name FROM (SELECT DISTINCT x.name FROM ${t:run} AS x WHERE x.tenant = ? AND x.tenant = ?) AS n
                 WHERE lower(n.name) LIKE ? ESCAPE '!' ORDER BY n.name LIMIT ?""";
    }
}
