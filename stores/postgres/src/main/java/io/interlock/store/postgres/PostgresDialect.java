package io.interlock.store.postgres;

import io.interlock.store.sql.Rows;
import io.interlock.store.sql.ServerDialect;
import io.interlock.store.sql.TableNames;
import io.interlock.store.sql.Trip;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** How PostgreSQL says it. Safe for use by many threads. */
final class PostgresDialect extends ServerDialect {

    /** The server's clock in microseconds, read when the expression is evaluated. */
    static final String CLOCK = micros("clock_timestamp()");

    /** When the server was started. Another server, and the same one after a restart, has another moment. */
    static final String STARTED = micros("pg_postmaster_start_time()");

    /** On another server than the one this process knows, nothing is granted before the store is tied to it. */
    static final String SAME_SERVER = "s.server = ? AND " + STARTED + " = ?";

    private static final Set<String> CONFLICTS = Set.of("40001", "40P01", "55P03");
    private static final Set<String> SHUTDOWNS = Set.of("57P01", "57P02", "57P03", "57P05", "25P03");

    /** How long a process that is frozen in the middle of a step keeps its rows. */
    static final int FROZEN_MILLIS = 2500;

    /**
     * Plans are kept by a session, because to make one takes longer than to follow it. They may be from when the tables were
     * still empty, and must be good when they are full: so they go from row to row by index. What is forbidden counts as very
     * expensive, and PostgreSQL compiles an expensive statement to machine code, anew for each execution: so that is forbidden, too.
     * For a transaction.
     */
    static final String BY_INDEX = "SELECT set_config('plan_cache_mode', 'force_generic_plan', true),"
            + " set_config('enable_seqscan', 'off', true),"
            + " set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),"
            + " set_config('jit', 'off', true)";

    // The parameter is how long a step may wait for a row.
    private static final String LATCH = BY_INDEX + ", set_config('lock_timeout', ?, true),"
            + " set_config('idle_in_transaction_session_timeout', '" + FROZEN_MILLIS
            + "', true), set_config('synchronous_commit', 'on', true), ";

    private static final Pattern FIRST_OF_KEY = Pattern.compile("(ON|} WHERE) (\\w+\\.\\w+) = (k\\.\\w+)");

    /** About how many characters a value has. */
    private static final int USUAL_LENGTH = 24;

    private final long latch;
    private final String latchShared;
    private final String latchAlone;

    PostgresDialect(TableNames names) {
        super(names);
        latch = KeyHash.of("interlock steps of " + names.schema() + "." + names.prefix());
        latchShared = LATCH + "pg_advisory_xact_lock_shared(" + latch + ")";
        latchAlone = LATCH + "pg_advisory_xact_lock(" + latch + ")";
    }

    // From a row of the argument to that of the table, never the other way round. For a table that was empty when
    // statistics were gathered, such as that of open runs, PostgreSQL expects one row and would read the whole table,
    // and the whole argument for each row of it. With ANY in place of = it has no way to begin with the table.
    @Override
    protected String adapt(String sql) {
        return FIRST_OF_KEY.matcher(sql).replaceAll("$1 $2 = ANY (ARRAY[$3])");
    }

    // As a double, which takes half of the time of extract: that is numeric. Names and types are given in full, because
    // another function or operator may be in the search path.
    private static String micros(String moment) {
        return "CAST(pg_catalog.date_part('epoch', " + moment + ") * CAST(1000000 AS float8) AS bigint)";
    }

    @Override
    protected String uuid() {
        return "uuid";
    }

    @Override
    protected String lock(String alias, boolean skip) {
        return "FOR NO KEY UPDATE OF " + alias + (skip ? " SKIP LOCKED" : "");
    }

    @Override
    protected String rows(String alias, List<Column> columns) {
        return columns.stream()
                        .map(column -> "CAST(? AS " + column.type() + "[])")
                        .collect(Collectors.joining(", ", "unnest(", ") WITH ORDINALITY AS " + alias))
                + columns.stream().map(Column::given).collect(Collectors.joining(", ", " (", ", pos)"));
    }

    // The planner makes it part of the statement around it: each value is then a parameter of an index scan.
    @Override
    protected String oneRow(String alias, List<Column> columns) {
        return columns.stream()
                .map(column -> "CAST(? AS " + column.type() + ") AS " + column.given() + ", ")
                .collect(Collectors.joining("", "(SELECT ", "1 AS pos) AS " + alias));
    }

    // Each column is one array, as text: the casts say of what. The type of the text is said too: a statement with a
    // parameter of unknown type is described by the server first, and the driver then sends each of several
    // statements in a round trip of its own if an answer may be of any length.
    @Override
    protected int bind(Connection connection, PreparedStatement statement, int index, Rows rows, String sql)
            throws SQLException {
        int columns = rows.isEmpty() ? 0 : rows.all().get(0).length;
        if (rows.size() == 1) {
            for (int column = 0; column < columns; column++) {
                Object value = rows.all().get(0)[column];
                statement.setString(index + column, value == null ? null : value.toString());
            }
            return index + columns;
        }
        for (int column = 0; column < columns; column++) {
            StringBuilder array = new StringBuilder(USUAL_LENGTH * rows.size()).append('{');
            for (@Nullable Object[] row : rows.all()) {
                array.append(array.length() == 1 ? "" : ",");
                append(array, row[column]);
            }
            statement.setString(index + column, array.append('}').toString());
        }
        return index + columns;
    }

    private static void append(StringBuilder array, @Nullable Object value) {
        if (value instanceof Long number) {
            array.append(number.longValue());
        } else if (value instanceof Integer number) {
            array.append(number.intValue());
        } else if (value == null) {
            array.append("NULL");
        } else {
            quote(array, value.toString());
        }
    }

    // Most texts have nothing to escape, and are copied as a whole.
    private static void quote(StringBuilder array, String text) {
        array.append('"');
        if (text.indexOf('"') < 0 && text.indexOf('\\') < 0) {
            array.append(text);
        } else {
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c == '"' || c == '\\') {
                    array.append('\\');
                }
                array.append(c);
            }
        }
        array.append('"');
    }

    @Override
    protected String nextNumbers() {
        return "SELECT nextval('" + names().table("run_number") + "') FROM generate_series(1, ?)";
    }

    @Override
    protected OneStatement oneStatement() {
        return new OneStatement(
                now(CLOCK),
                "nextval('" + names().table("run_number") + "')",
                SAME_SERVER,
                server().identity(),
                server().startedAt());
    }

    @Override
    protected void latchShared(Trip trip) {
        latch(trip, latchShared);
    }

    @Override
    protected void latchAlone(Trip trip) {
        latch(trip, latchAlone);
    }

    private static void latch(Trip trip, String sql) {
        trip.query(sql, ResultSet::next, Integer.toString(trip.patienceMillis()));
    }

    /** The number of the advisory lock that every step holds, shared or alone. */
    long latch() {
        return latch;
    }

    @Override
    protected String clock() {
        return CLOCK;
    }

    @Override
    protected List<String> beginWrite() {
        return List.of("BEGIN ISOLATION LEVEL READ COMMITTED");
    }

    @Override
    protected List<String> beginRead() {
        return List.of("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", BY_INDEX);
    }

    @Override
    protected String serverColumns() {
        return "s.server, " + STARTED;
    }

    @Override
    protected Server readServer(ResultSet row, int from) throws SQLException {
        return new Server(row.getString(from), row.getLong(from + 1));
    }

    @Override
    protected boolean isInTransaction(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                && connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
    }

    // A commit whose wait for the standby was cut short is only a warning to the server, yet it can be lost in a
    // failover.
    @Override
    protected void heed(Statement statement) throws SQLException {
        for (SQLWarning each = statement.getWarnings(); each != null; each = each.getNextWarning()) {
            String state = each.getSQLState();
            if (state != null && state.startsWith("57")) {
                throw new SQLException("committed here, but not known to be on the standby", "08007", each);
            }
        }
    }

    @Override
    protected AuditNumbers auditNumbers() {
        return new AuditNumbers.OutOfOrder(
                "SELECT coalesce(pg_sequence_last_value(CAST(pg_get_serial_sequence('" + names().table("audit")
                        + "', 'sequence') AS regclass)), 0)",
                "SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint)",
                "SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)");
    }

    @Override
    protected SqlFailure failure(SQLException error) {
        String state = stateOf(error);
        if (CONFLICTS.contains(state)) {
            return SqlFailure.CONFLICT;
        }
        if (state.equals("23505")) {
            return SqlFailure.DUPLICATE;
        }
        return isBroken(error) ? SqlFailure.BROKEN : SqlFailure.FINAL;
    }

    /** Whether the connection or the server went away. */
    static boolean isBroken(SQLException error) {
        // 08004 is how the driver says that it was turned away; everything else in class 08 is a broken connection.
        String state = stateOf(error);
        return SHUTDOWNS.contains(state) || (state.startsWith("08") && !state.equals("08004"));
    }

    /** The SQLSTATE; of a pool's timeout, that of the connection attempt behind it. */
    static String stateOf(SQLException error) {
        String state = behind(error).getSQLState();
        return state == null ? "" : state;
    }
}
