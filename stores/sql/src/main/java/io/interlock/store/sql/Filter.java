package io.interlock.store.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A question put together from what is asked for: only those conditions are in its text, so that each question finds its
 * index. Belongs to one thread.
 */
final class Filter {

    private final StringBuilder sql = new StringBuilder();
    private final List<@Nullable Object> values = new ArrayList<>();

    Filter(String sql, @Nullable Object... values) {
        and(sql, values);
    }

    /** Adds more text, with the values of its parameters. */
    Filter and(String more, @Nullable Object... moreValues) {
        sql.append(sql.isEmpty() ? "" : " ").append(more);
        values.addAll(Arrays.asList(moreValues));
        return this;
    }

    Filter andIf(String more, @Nullable Object value) {
        return value == null ? this : and(more, value);
    }

    /**
     * Asks for what begins with {@code prefix} and is behind {@code after}. The greater of the two comes first: SQLite enters an index
     * by the first one only.
     */
    Filter andBehind(String column, String after, String prefix) {
        Filter begun = after.startsWith(prefix)
                ? and("AND " + column + " > ?", after)
                : and("AND " + column + " >= ? AND " + column + " > ?", prefix, after);
        return begun.andIf("AND " + column + " < ?", Texts.behind(prefix));
    }

    /**
     * A condition that no index helps with, said so that a database does not expect it to leave few rows: it would sort all of
     * them instead of going along an index until a page is full.
     */
    static String unindexed(String condition) {
        return "AND CASE WHEN " + condition + " THEN true ELSE false END";
    }

    /** Asks in one trip, outside of any transaction. */
    <T> T ask(Database database, Trip.Reader<T> reader) {
        return database.peek(transaction -> transaction.query(sql.toString(), reader, values.toArray()));
    }

    <T> List<T> list(Database database, Trip.Reader<T> row) {
        return ask(database, Trip.each(row));
    }

    <T> List<T> list(Transaction transaction, Trip.Reader<T> row) throws SQLException {
        return transaction.list(sql.toString(), row, values.toArray());
    }

    <T> Trip.Answer<List<T>> list(Trip trip, Trip.Reader<T> row) {
        return ask(trip, Trip.each(row));
    }

    <T> Trip.Answer<T> ask(Trip trip, Trip.Reader<T> reader) {
        return trip.query(sql.toString(), reader, values.toArray());
    }
}
