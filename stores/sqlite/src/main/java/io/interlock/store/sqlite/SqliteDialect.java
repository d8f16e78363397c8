package io.interlock.store.sqlite;

import io.interlock.store.sql.Dialect;
import io.interlock.store.sql.StoreRow;
import io.interlock.store.sql.TableNames;
import io.interlock.store.sql.Trip;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * How SQLite says it. There is one writer at a time and no network, so nothing is locked and statements go one by one. Safe for use
 * by many threads.
 */
final class SqliteDialect extends Dialect {

    private final StoreClock clock;

    SqliteDialect(TableNames names, StoreClock clock) {
        super(names);
        this.clock = clock;
    }

    @Override
    protected String uuid() {
        return "TEXT";
    }

    @Override
    protected String lock(String alias, boolean skip) {
        return "";
    }

    // Without statistics, SQLite takes an index with fewer columns for as good as the one that has all of them.
    @Override
    protected String index(String name) {
        return "INDEXED BY " + names().prefix() + name;
    }

    @Override
    protected String rows(String alias, List<Column> columns) {
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < columns.size(); i++) {
            list.append("value ->> ")
                    .append(i)
                    .append(" AS ")
                    .append(columns.get(i).given())
                    .append(", ");
        }
        return "(SELECT " + list + "key + 1 AS pos FROM json_each(?)) AS " + alias;
    }

    @Override
    protected boolean pipelines() {
        return false;
    }

    // There are no round trips to save: a prepared statement for each row is faster than one with a table of rows.
    @Override
    protected boolean takesRowsOneByOne(String sql) {
        return !sql.contains("json_each(");
    }

    @Override
    protected String insert(String table, String columns) {
        return "INSERT INTO ${t:" + table + "} AS t (" + list(columns) + ") VALUES (" + values(columns) + ")";
    }

    @Override
    protected String update(String table, String keys, String values) {
        int first = Column.parse(keys).size();
        return "UPDATE ${t:" + table + "} SET " + equal(values, first, ", ") + " WHERE " + equal(keys, 0, " AND ");
    }

    @Override
    protected String update(String table, String keys, String values, String condition) {
        return super.update(table, keys, values) + " AND " + condition;
    }

    @Override
    protected String delete(String table, String keys) {
        return "DELETE FROM ${t:" + table + "} WHERE " + equal(keys, 0, " AND ");
    }

    private static String values(String columns) {
        return IntStream.rangeClosed(1, Column.parse(columns).size())
                .mapToObj(number -> "?" + number)
                .collect(Collectors.joining(", "));
    }

    private static String equal(String columns, int first, String between) {
        List<Column> all = Column.parse(columns);
        return IntStream.range(0, all.size())
                .mapToObj(i -> all.get(i).name() + " = ?" + (first + i + 1))
                .collect(Collectors.joining(between));
    }

    // The row of the store has the last one.
    @Override
    protected void drawNumbers(Trip trip, int count, LongConsumer numbers) {
        trip.query(
                "UPDATE ${t:store} SET run_number = run_number + ? RETURNING run_number",
                Trip.forEach(row -> LongStream.rangeClosed(row.getLong(1) - count + 1, row.getLong(1))
                        .forEach(numbers)),
                count);
    }

    @Override
    protected void latchShared(Trip trip) {
        // A writer is alone.
    }

    @Override
    protected void latchAlone(Trip trip) {
        // A writer is alone.
    }

    // Every commit is seen by all that watch the file.
    @Override
    protected boolean notesWaiters() {
        return false;
    }

    @Override
    protected String storeColumns() {
        return "s.boot_id, s.booted_at, s.uptime, s.clock_offset, s.epoch, s.token_floor, s.max_lease, s.quiet_until,"
                + " s.last_heard, s.heard_since";
    }

    @Override
    protected StoreRow readStore(ResultSet row) throws SQLException {
        StoreClock.Uptime uptime = new StoreClock.Uptime(row.getString(1), row.getLong(3));
        return new StoreRow(
                clock.now(new StoreClock.ClockRow(uptime, row.getLong(2))) + row.getLong(4),
                row.getInt(5),
                row.getLong(6),
                row.getLong(7),
                row.getLong(8),
                row.getLong(9),
                row.getLong(10),
                false);
    }

    @Override
    protected AuditNumbers auditNumbers() {
        return new AuditNumbers.InOrder("SELECT coalesce(max(n.seq), 0) FROM \"" + names().schema()
                + "\".sqlite_sequence AS n WHERE n.name = '" + names().prefix() + "audit'");
    }

    @Override
    protected SqlFailure failure(SQLException error) {
        if (SqliteErrors.isBusy(error)) {
            return SqlFailure.CONFLICT;
        }
        return SqliteErrors.isDuplicate(error) ? SqlFailure.DUPLICATE : SqlFailure.FINAL;
    }
}
