package io.interlock.store.sql;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One transaction. Its first trip begins it and its last one ends it, so that a step takes two round trips where the
 * database lets statements go together. Belongs to one thread.
 */
public class Transaction {

    private final String store;
    private final SqlConnection connection;
    private final boolean writes;
    private final List<String> begin;
    private final int attempt;
    private final int earlierBreaks;
    private boolean begun;
    private boolean over;

    /**
     * A transaction on {@code connection}.
     *
     * @param store kind and place of the database, for people
     * @param writes whether it may lock and write
     * @param begin what begins it; nothing if each of its statements is a transaction
     * @param attempt which attempt of the same work it is, from 1
     * @param earlierBreaks how many earlier attempts of the same work lost their connection and may have taken effect
     */
    protected Transaction(
            String store,
            SqlConnection connection,
            boolean writes,
            List<String> begin,
            int attempt,
            int earlierBreaks) {
        this.store = store;
        this.connection = connection;
        this.writes = writes;
        this.begin = begin;
        this.attempt = attempt;
        this.earlierBreaks = earlierBreaks;
    }

    /** A trip was wanted after the last one. */
    static final class Over extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        Over() {
            super("the transaction is over");
        }
    }

    /** Whether an earlier attempt of the same work failed. */
    public final boolean isRepeated() {
        return attempt > 1;
    }

    public final String store() {
        return store;
    }

    public final boolean writes() {
        return writes;
    }

    /** Whether an earlier attempt of the same work may have taken effect. */
    public final boolean mayHaveBeenDone() {
        return earlierBreaks > 0;
    }

    /** Whether it keeps others waiting for so long that what is left should be done in another one. */
    public boolean isLong() {
        return false;
    }

    /** How long its statements may wait for a lock, see {@link SqlConnection#patienceMillis()}. */
    public final int patienceMillis() {
        return connection.patienceMillis();
    }

    public final Dialect dialect() {
        return connection.dialect();
    }

    public final Trip trip() {
        if (over) {
            throw new Over();
        }
        Trip trip = connection.trip();
        if (!begun) {
            begun = true;
            begin.forEach(trip::update);
        }
        return trip;
    }

    public final <T> T query(String sql, Trip.Reader<T> reader, @Nullable Object... values) throws SQLException {
        return trip().ask(sql, reader, values);
    }

    public final <T> List<T> list(String sql, Trip.Reader<T> row, @Nullable Object... values) throws SQLException {
        return query(sql, Trip.each(row), values);
    }

    public final int update(String sql, @Nullable Object... values) throws SQLException {
        return trip().change(sql, values);
    }

    /** Makes the last trip, and makes everything that was written last. A read ends with its last trip, too. */
    public final void commit(Trip last) throws SQLException {
        if (!begin.isEmpty()) {
            beforeCommit(last);
            last.update("COMMIT");
        }
        last.run();
        over = true;
    }

    /** Makes one change and everything that was written last; says how many rows the change concerned. */
    public final int commit(String sql, @Nullable Object... values) throws SQLException {
        Trip last = trip();
        Trip.Answer<Boolean> answer = last.update(sql, values);
        commit(last);
        return answer.count();
    }

    /** Makes everything that was written last. */
    public final void commit() throws SQLException {
        commit(trip());
    }

    /**
     * Ends a transaction that has written nothing, before its answer says that something was done before. Some databases show
     * what is committed a moment before it is on disk; there, this waits until all that was seen is. A refusal needs no such
     * care: no caller relies on it.
     */
    public final void confirm() throws SQLException {
        String flush = dialect().flush();
        if (flush != null) {
            update(flush);
            commit();
        }
    }

    /** Does {@code work} in one transaction that begins so. */
    public static void together(String store, SqlConnection connection, List<String> begin, Migrator.Work work)
            throws SQLException {
        new Transaction(store, connection, true, begin, 1, 0).run(transaction -> {
            transaction.trip().run();
            work.run();
            transaction.commit();
            return true;
        });
    }

    /** Does {@code work}, and undoes what it has not committed. */
    public final <T> T run(Database.Work<T> work) throws SQLException {
        T result;
        try {
            result = work.run(this);
        } catch (SQLException | RuntimeException | Error failure) {
            try {
                undo();
            } catch (SQLException broken) {
                // Nothing may go on in a transaction that cannot be ended.
                failure.addSuppressed(broken);
                discard(connection);
            }
            throw failure;
        }
        undo();
        return result;
    }

    private void undo() throws SQLException {
        if (!over) {
            over = true;
            if (begun && !begin.isEmpty()) {
                connection.trip().change("ROLLBACK");
            }
        }
    }

    /** Adds to the last trip what is written at each commit. */
    protected void beforeCommit(Trip last) {
        // Most databases need nothing.
    }

    /** Breaks a connection on which a transaction could not be ended. */
    protected void discard(SqlConnection broken) throws SQLException {
        broken.close();
    }
}
