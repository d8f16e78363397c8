package io.interlock.store.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Statements that go to the database together: in one round trip where the database allows it. Answers are there after
 * {@link #run()}. Belongs to one thread.
 */
public final class Trip {

    private final SqlConnection connection;
    private final List<Part> parts = new ArrayList<>();

    Trip(SqlConnection connection) {
        this.connection = connection;
    }

    @SuppressWarnings("ArrayRecordComponent")
    private record Part(String sql, @Nullable Object[] values, Answer<?> answer) {}

    /** Makes an answer of rows, or of the row at hand. */
    @FunctionalInterface
    public interface Reader<T> {

        T read(ResultSet rows) throws SQLException;
    }

    public static final class Answer<T> {

        private final Reader<T> reader;
        private @Nullable T value;
        private int count = -1;

        private Answer(Reader<T> reader) {
            this.reader = reader;
        }

        private void read(ResultSet rows) throws SQLException {
            value = reader.read(rows);
        }

        /** The answer; only after the trip. */
        public T get() {
            T read = value;
            if (read == null) {
                throw new IllegalStateException("the trip has not been made");
            }
            return read;
        }

        /** How many rows a statement without rows of its own has changed. */
        public int count() {
            return count;
        }
    }

    public <T> Answer<T> query(String sql, Reader<T> reader, @Nullable Object... values) {
        Answer<T> answer = new Answer<>(reader);
        parts.add(new Part(render(sql, values), values, answer));
        return answer;
    }

    /** Reads the number that is the answer; 0 if there is none. */
    public static final Reader<Long> NUMBER = rows -> rows.next() ? rows.getLong(1) : 0L;

    /** Reads the first column of a row. */
    static final Reader<String> TEXT = row -> row.getString(1);

    Dialect dialect() {
        return connection.dialect();
    }

    /** Asks one question, and makes the trip. */
    public <T> T ask(String sql, Reader<T> reader, @Nullable Object... values) throws SQLException {
        Answer<T> answer = query(sql, reader, values);
        run();
        return answer.get();
    }

    /** Makes one change, and the trip; says how many rows it changed. */
    public int change(String sql, @Nullable Object... values) throws SQLException {
        Answer<Boolean> answer = update(sql, values);
        run();
        return answer.count();
    }

    /** Adds a question whose answer is a list, with {@code row} for each row. */
    public <T> Answer<List<T>> list(String sql, Reader<T> row, @Nullable Object... values) {
        return query(sql, each(row), values);
    }

    /** Reads the first row, if there is one. */
    public static <T> Reader<Optional<T>> first(Reader<T> row) {
        return rows -> rows.next() ? Optional.of(row.read(rows)) : Optional.empty();
    }

    static <T> Reader<List<T>> each(Reader<T> row) {
        return rows -> {
            List<T> found = new ArrayList<>();
            while (rows.next()) {
                found.add(row.read(rows));
            }
            return found;
        };
    }

    @FunctionalInterface
    public interface Taker {

        void take(ResultSet row) throws SQLException;
    }

    public static Reader<Boolean> forEach(Taker taker) {
        return rows -> {
            while (rows.next()) {
                taker.take(rows);
            }
            return true;
        };
    }

    public Answer<Boolean> update(String sql, @Nullable Object... values) {
        Answer<Boolean> answer = new Answer<>(rows -> true);
        parts.add(new Part(render(sql, values), values, answer));
        return answer;
    }

    private String render(String sql, @Nullable Object[] values) {
        for (Object value : values) {
            if (value instanceof Rows rows) {
                return connection.dialect().render(sql, rows.size() == 1);
            }
        }
        return connection.dialect().render(sql, false);
    }

    /** How long its statements may wait for a lock, see {@link SqlConnection#patienceMillis()}. */
    public int patienceMillis() {
        return connection.patienceMillis();
    }

    /** Sends all of it, and reads all answers. */
    public void run() throws SQLException {
        if (connection.dialect().pipelines()) {
            if (!parts.isEmpty()) {
                runTogether();
            }
        } else {
            for (Part part : parts) {
                PreparedStatement statement = connection.prepare(part.sql());
                if (part.values().length > 0
                        && part.values()[0] instanceof Rows rows
                        && connection.dialect().takesRowsOneByOne(part.sql())) {
                    runOneByOne(statement, rows, part);
                } else {
                    bind(statement, 1, part);
                    take(statement, statement.execute(), part);
                }
            }
        }
        parts.clear();
    }

    private void runTogether() throws SQLException {
        List<String> texts = new ArrayList<>(parts.size());
        for (Part part : parts) {
            texts.add(part.sql());
        }
        String sql = connection.dialect().join(texts);
        try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
            int index = 1;
            for (Part part : parts) {
                index = bind(statement, index, part);
            }
            boolean hasRows = statement.execute();
            connection.dialect().heed(statement);
            for (int i = 0; i < parts.size(); i++) {
                take(statement, hasRows, parts.get(i));
                if (i + 1 < parts.size()) {
                    hasRows = statement.getMoreResults();
                }
            }
        }
    }

    private static void runOneByOne(PreparedStatement statement, Rows rows, Part part) throws SQLException {
        int count = 0;
        for (@Nullable Object[] row : rows.all()) {
            for (int i = 0; i < row.length; i++) {
                bind(statement, i + 1, row[i]);
            }
            for (int i = 1; i < part.values().length; i++) {
                bind(statement, row.length + i, part.values()[i]);
            }
            count += statement.executeUpdate();
        }
        part.answer().count = count;
    }

    private int bind(PreparedStatement statement, int from, Part part) throws SQLException {
        Connection jdbc = connection.jdbc();
        int index = from;
        for (Object value : part.values()) {
            if (value instanceof Rows rows) {
                index = connection.dialect().bind(jdbc, statement, index, rows, part.sql());
            } else {
                bind(statement, index++, value);
            }
        }
        return index;
    }

    private static void bind(PreparedStatement statement, int index, @Nullable Object value) throws SQLException {
        if (value instanceof Long number) {
            statement.setLong(index, number);
        } else if (value instanceof Integer number) {
            statement.setInt(index, number);
        } else if (value instanceof String text) {
            statement.setString(index, text);
        } else {
            statement.setObject(index, value);
        }
    }

    private static void take(PreparedStatement statement, boolean hasRows, Part part) throws SQLException {
        if (hasRows) {
            try (ResultSet rows = statement.getResultSet()) {
                part.answer().read(rows);
            }
        } else {
            part.answer().count = statement.getUpdateCount();
        }
    }
}
