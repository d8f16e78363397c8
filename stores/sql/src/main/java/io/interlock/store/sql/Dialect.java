package io.interlock.store.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What one kind of database says differently. Statements of this module are written once, with these placeholders:
 *
 * <ul>
 *   <li>{@code ${t:lease}}: the full name of a table
 *   <li>{@code ${rows:k(tenant text, name text)}}: a {@link Rows} argument as a table {@code k} with these columns and {@code
 *       pos}, the place of each row from 1
 *   <li>{@code ${uuid}}: the type of ids, for casts
 *   <li>{@code ${index:run_key}}: after the alias of a table, the index that answers the question
 *   <li>{@code ${lock:l}}, {@code ${skip:l}}: the end of a SELECT that locks the rows of {@code l}, waiting for others or
 *       leaving out rows that others have locked
 * </ul>
 *
 * <p>Safe for use by many threads.
 */
public abstract class Dialect {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{(t|rows|lock|skip|index):([^}]*)}|\\$\\{uuid}");
    private static final Pattern ROWS = Pattern.compile("(\\w+)\\((.*)\\)", Pattern.DOTALL);

    private final TableNames names;
    private static final int MOST_RENDERED = 2000;

    private final Map<String, String> rendered = new ConcurrentHashMap<>();
    private final Map<String, String> renderedForOneRow = new ConcurrentHashMap<>();
    private final Map<String, String> remembered = new ConcurrentHashMap<>();
    private final Map<List<String>, String> joined = new ConcurrentHashMap<>();

    protected Dialect(TableNames names) {
        this.names = names;
    }

    /**
     * A column of a {@link Rows} argument.
     *
     * @param name its name
     * @param type {@code text}, {@code bigint}, {@code int} or {@code uuid}
     * @param given the name of its value in the argument, if the table has a column of that name already
     */
    public record Column(String name, String type, String given) {

        /** The columns of a list like {@code tenant text, number=new_number bigint}. */
        public static List<Column> parse(String list) {
            return PARSED.computeIfAbsent(list, text -> {
                List<Column> columns = new ArrayList<>();
                for (String each : text.split(",", -1)) {
                    String[] words = each.strip().split("\\s+", -1);
                    String[] names = words[0].split("=", -1);
                    columns.add(new Column(names[0], words[1], names[names.length - 1]));
                }
                return List.copyOf(columns);
            });
        }

        private static final Map<String, List<Column>> PARSED = new ConcurrentHashMap<>();
    }

    public final TableNames names() {
        return names;
    }

    /** The statement {@code make} writes, which is written once and remembered under {@code name}. */
    final String remembered(String name, Supplier<String> make) {
        return kept(remembered, name, make);
    }

    /**
     * {@code sql} in the words of this database.
     *
     * @param oneRow whether its {@link Rows} argument has exactly one row
     */
    final String render(String sql, boolean oneRow) {
        return kept(oneRow ? renderedForOneRow : rendered, sql, () -> fill(sql, oneRow));
    }

    private static <K> String kept(Map<K, String> texts, K key, Supplier<String> make) {
        String known = texts.get(key);
        if (known == null) {
            known = make.get();
            if (texts.size() >= MOST_RENDERED) {
                // Some have a moment in their text, and are not asked for again.
                texts.clear();
            }
            texts.put(key, known);
        }
        return known;
    }

    /**
     * Statements as one text. A driver finds a prepared statement by its text, so each is written once: its hash is then known,
     * and so are those of the parts, which {@link #render} has written once too.
     */
    final String join(List<String> statements) {
        return kept(joined, statements, () -> String.join(";\n", statements));
    }

    private String fill(String sql, boolean oneRow) {
        Matcher matcher = PLACEHOLDER.matcher(adapt(sql));
        StringBuilder filled = new StringBuilder();
        while (matcher.find()) {
            String kind = matcher.group(1);
            String about = matcher.group(2);
            String text = kind == null
                    ? uuid()
                    : switch (kind) {
                        case "t" -> names.table(about);
                        case "lock" -> lock(about, false);
                        case "skip" -> lock(about, true);
                        case "index" -> index(about);
                        default -> rows(about, oneRow);
                    };
            matcher.appendReplacement(filled, Matcher.quoteReplacement(text));
        }
        return matcher.appendTail(filled).toString();
    }

    private String rows(String spec, boolean oneRow) {
        Matcher matcher = ROWS.matcher(spec);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("no table of rows: " + spec);
        }
        List<Column> columns = Column.parse(matcher.group(2));
        return oneRow ? oneRow(matcher.group(1), columns) : rows(matcher.group(1), columns);
    }

    /** {@code sql}, its placeholders still in it, with what this database has to be told about it beside them. */
    protected String adapt(String sql) {
        return sql;
    }

    protected abstract String uuid();

    /** The end of a SELECT that locks rows of {@code alias}. */
    protected abstract String lock(String alias, boolean skip);

    /**
     * Says that a table is to be read by an index, for databases that do not find out by themselves. The index is called so
     * behind the prefix of the tables.
     */
    protected String index(String name) {
        return "";
    }

    /** A {@link Rows} argument as a table. */
    protected abstract String rows(String alias, List<Column> columns);

    /** A {@link Rows} argument of one row as a table, for databases that plan better if they know. */
    protected String oneRow(String alias, List<Column> columns) {
        return rows(alias, columns);
    }

    /** Binds a {@link Rows} argument from parameter {@code index} on, as JSON, and returns the index after it. */
    protected int bind(Connection connection, PreparedStatement statement, int index, Rows rows, String sql)
            throws SQLException {
        statement.setString(index, rows.toJson());
        return index + 1;
    }

    /** Whether a change is made once for each row of its {@link Rows} argument, with the columns as its parameters. */
    protected boolean takesRowsOneByOne(String sql) {
        return false;
    }

    /** Whether several statements go to the database in one round trip. */
    protected abstract boolean pipelines();

    /** Whether a table of a join may depend on the rows before it ({@code LATERAL}). */
    protected boolean joinsLaterally() {
        return pipelines();
    }

    /**
     * Hears what the server says beside the answers of a statement.
     *
     * @throws SQLException if what was done must not count as done
     */
    protected void heed(Statement statement) throws SQLException {
        // Most databases say nothing that matters.
    }

    /** {@code INSERT} of rows, in their order. */
    protected String insert(String table, String columns) {
        String list = list(columns);
        return "INSERT INTO ${t:" + table + "} (" + list + ") SELECT " + list + " FROM ${rows:k(" + columns
                + ")} ORDER BY k.pos";
    }

    /** {@code UPDATE} of rows that are found by {@code keys}. */
    protected String update(String table, String keys, String values) {
        String sets = Column.parse(values).stream()
                .map(column -> column.name() + " = k." + column.given())
                .collect(Collectors.joining(", "));
        return "UPDATE ${t:" + table + "} AS t SET " + sets + " FROM ${rows:k(" + keys + ", " + values + ")} WHERE "
                + match(keys);
    }

    /**
     * {@code UPDATE} of those rows found by {@code keys} that fulfil a condition.
     *
     * @param condition about the row that is there, called {@code t}, and the new values, called {@code k}
     */
    protected String update(String table, String keys, String values, String condition) {
        return update(table, keys, values) + " AND " + condition;
    }

    /** {@code DELETE} of rows that are found by {@code keys}. */
    protected String delete(String table, String keys) {
        return "DELETE FROM ${t:" + table + "} AS t USING ${rows:k(" + keys + ")} WHERE " + match(keys);
    }

    /**
     * {@code INSERT} of rows that are left out where their key is there already.
     *
     * @param keys the columns of the key
     * @param values the other columns; empty if there are none
     */
    protected String insertMissing(String table, String keys, String values) {
        return insert(table, values.isEmpty() ? keys : keys + ", " + values) + " ON CONFLICT DO NOTHING";
    }

    /** Adds to {@code trip} what inserts rows, or updates those with the same key. */
    final void put(Trip trip, String table, String keys, String values, Rows rows) {
        trip.update(insertMissing(table, keys, values), rows);
        trip.update(update(table, keys, values), rows);
    }

    /** The columns of the table called {@code alias}, as a query names them. */
    static String select(String alias, String columns) {
        return Column.parse(columns).stream()
                .map(column -> alias + "." + column.name())
                .collect(Collectors.joining(", "));
    }

    protected static String list(String columns) {
        return Column.parse(columns).stream().map(Column::name).collect(Collectors.joining(", "));
    }

    /** The rows of {@code t} and {@code k} with equal keys. */
    protected static String match(String keys) {
        return Column.parse(keys).stream()
                .map(column -> "t." + column.name() + " = k." + column.name())
                .collect(Collectors.joining(" AND "));
    }

    /**
     * A condition that is true of rows of {@code alias} behind a key, in such words that the index is entered there. The parameters
     * are the tenant, the name, and the tenant again.
     */
    protected String isBehind(String alias) {
        // The second part says nothing new, and comes last: SQLite enters an index by the first one only.
        return "(" + alias + ".tenant, " + alias + ".name) > (?, ?) AND " + alias + ".tenant >= ?";
    }

    /**
     * The names of a tenant's keys that had runs and are like a pattern, in the order of the index: from name to name, not from run to
     * run. The parameters are the tenant, the tenant again, the pattern in small letters with the escape {@code !}, and how many.
     */
    protected String namesOfRuns() {
        return """
                WITH RECURSIVE n(name) AS (
                  SELECT (SELECT x.name FROM ${t:run} AS x WHERE x.tenant = ? ORDER BY x.name LIMIT 1)
                   UNION ALL
                  SELECT (SELECT x.name FROM ${t:run} AS x WHERE x.tenant = ? AND x.name > n.name ORDER BY x.name LIMIT 1)
                    FROM n WHERE n.name IS NOT NULL)
                SELECT n.name FROM n WHERE lower(n.name) LIKE ? ESCAPE '!' LIMIT ?""";
    }

    /**
     * A query of the number of the last run of a tenant that was submitted before a moment. Numbers rise with time: it is found from the
     * highest bit to the lowest, so that no index on the time is needed. The parameters are the tenant and the moment.
     */
    protected String lastBefore() {
        return """
                WITH RECURSIVE s (low, bit) AS (
                  SELECT 0 * 1099511627776, 1099511627776
                   UNION ALL
                  SELECT CASE WHEN (SELECT x.submitted_at FROM ${t:run} AS x ${index:run_tenant}
                                     WHERE x.tenant = ? AND x.number >= s.low + s.bit ORDER BY x.number LIMIT 1) < ?
                              THEN s.low + s.bit ELSE s.low END, s.bit >> 1
                    FROM s WHERE s.bit > 0)
                SELECT max(s.low) FROM s""";
    }

    /**
     * A query of a number behind which no run of a tenant was submitted before a moment, with the same parameters. Numbers rise with time
     * but for a margin, so a run behind the last one of {@link #lastBefore} may have been submitted a moment before it.
     */
    protected String noneBeforeBehind() {
        return lastBefore();
    }

    /** Adds to {@code trip} what draws the numbers of {@code count} new runs, and hands them on in their order. */
    protected abstract void drawNumbers(Trip trip, int count, LongConsumer numbers);

    /** Adds to {@code trip} what lets other steps go on, but waits for one that is {@link #latchAlone alone}. */
    protected abstract void latchShared(Trip trip);

    /** Adds to {@code trip} what waits until no other step is under way, and keeps them waiting until the transaction ends. */
    protected abstract void latchAlone(Trip trip);

    /** Whether keys note that a refused caller waits for them, because a release is announced only then. */
    protected boolean notesWaiters() {
        return true;
    }

    /**
     * A statement that writes something of no importance, whose commit makes everything last that its transaction has seen; or
     * {@code null} if a transaction sees nothing else. See {@link Transaction#confirm}.
     */
    protected @Nullable String flush() {
        return null;
    }

    /** The columns of {@code store AS s} that {@link #readStore} reads, the time among them. */
    protected abstract String storeColumns();

    /** The row of the store, with its time. */
    protected abstract StoreRow readStore(ResultSet row) throws SQLException;

    /**
     * A statement that lets time go on from where it was if the clock was set back, however often it is executed; or {@code null} if
     * that cannot happen.
     */
    protected @Nullable String goOn() {
        return null;
    }

    /**
     * How the numbers of audit records come about in a database, and so what a missing number means: which records are there for
     * good, and may be sealed, depends on it.
     */
    public sealed interface AuditNumbers {

        /** A query of one number: the last one given, also if its record is gone; 0 if none was. */
        String last();

        /**
         * How many numbers after the last record may have none though none was deleted. Where numbers are not given back, steps
         * under way and steps that were rolled back have drawn some; a database that crashed or reserves numbers in advance, too.
         *
         * @param kept the number of the last record, or 0 if there was never one
         */
        default long unused(long kept) {
            return kept == 0 ? 1_000 : 10_000;
        }

        /**
         * There is one writer at a time, and a transaction that is rolled back gives its numbers back: records are numbered one by
         * one in the order of commits. What is committed is there for good, and a number that is missing is that of a record that
         * was deleted by hand.
         */
        record InOrder(String last) implements AuditNumbers {

            @Override
            public long unused(long kept) {
                return 0;
            }
        }

        /**
         * Numbers are drawn before their transactions commit, and not given back: a number that is missing belongs to a
         * transaction that is still open, or to one that was rolled back. It will not come any more once all transactions have
         * ended that were open when a greater number was seen.
         *
         * <p>This needs a writer to have its transaction id before it draws a number. It has: every step locks or writes a row
         * before it adds its records.
         *
         * @param next a query of one number that is greater than the id of every transaction that has an id by now. In
         *     PostgreSQL that is the id of the asking transaction itself, {@code pg_current_xact_id()}, and not {@code
         *     pg_snapshot_xmax}, which may be smaller than the ids of open transactions.
         * @param oldestOpen a query of one number: the smallest id of a transaction that is open, or one that is no greater than
         *     the next id to be given if none is. In PostgreSQL {@code pg_snapshot_xmin(pg_current_snapshot())}.
         */
        record OutOfOrder(String last, String next, String oldestOpen) implements AuditNumbers {}

        /**
         * Numbers are drawn before their transactions commit, and not given back, and nothing tells which transactions are open.
         * But a step that adds a record has the {@linkplain Dialect#latchShared latch} before it draws a number, and keeps it until its
         * transaction ends: once a reader has had the latch {@linkplain Dialect#latchAlone alone}, no number will come to light any
         * more that is smaller than one it had seen.
         */
        record Latched(String last) implements AuditNumbers {}
    }

    /** How the numbers of audit records come about, and so which of them are there for good. */
    protected abstract AuditNumbers auditNumbers();

    /**
     * What a statement is made of that reads, decides and writes at once.
     *
     * @param now the store's time in microseconds, by {@code store AS s}
     * @param nextNumber draws the number of a run
     * @param sameServer a condition about {@code store AS s}: this is the server called {@code server}, started at {@code
     *     startedAt}, its two parameters
     */
    public record OneStatement(String now, String nextNumber, String sameServer, String server, long startedAt) {}

    /** The parts of such a statement, or {@code null} if this database has none. */
    protected @Nullable OneStatement oneStatement() {
        return null;
    }

    /** What an error of the driver means for the step that met it. */
    public enum SqlFailure {
        /** Rolled back because of other steps; the same step may succeed now. */
        CONFLICT,
        /** A row with the same key is there already; rolled back. */
        DUPLICATE,
        /** The connection or the server went away. The step may have taken effect; the same ids may be sent again. */
        BROKEN,
        /** Repeating the step will not help. */
        FINAL
    }

    public final SqlFailure failureOf(SQLException error) {
        return error instanceof KeySteps.MissingRow ? SqlFailure.DUPLICATE : failure(error);
    }

    protected abstract SqlFailure failure(SQLException error);
}
