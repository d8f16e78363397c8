package io.interlock.store.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * What a database server says differently. The store's time is that of the server, and a store is tied to the server it was last
 * seen on: steps on any other one are refused until an {@link Attachment} has looked at it. Safe for use by many threads.
 */
public abstract class ServerDialect extends Dialect {

    private static final int COLUMNS = 7;

    private volatile Server server = new Server("", 0);

    protected ServerDialect(TableNames names) {
        super(names);
    }

    /**
     * A server that a store is tied to.
     *
     * @param identity what distinguishes it from other servers
     * @param startedAt when it was started, in microseconds
     */
    public record Server(String identity, long startedAt) {}

    /** The store is on another server than before, or its server was started again. */
    static final class AnotherServer extends SQLException {

        private static final long serialVersionUID = 1L;
    }

    /** The server this process has tied the store to. */
    public final Server server() {
        return server;
    }

    /** From now on steps are refused on any other server. */
    final void attachedTo(Server attached) {
        server = attached;
    }

    /** The server's clock in microseconds, read when the expression is evaluated. */
    protected abstract String clock();

    /**
     * The store's time by {@code clock} and {@code store AS s}. Where the clock was set back, time stands still until a sweep has
     * noted by how much: leases that are granted or renewed meanwhile end later, and none ends earlier.
     */
    public static String now(String clock) {
        return "greatest(" + clock + " + s.clock_offset, s.last_heard)";
    }

    @Override
    protected final boolean pipelines() {
        return true;
    }

    /** The number of the run that comes next, so many of them, as a query of one column. */
    protected abstract String nextNumbers();

    @Override
    protected final void drawNumbers(Trip trip, int count, LongConsumer numbers) {
        trip.query(nextNumbers(), Trip.forEach(row -> numbers.accept(row.getLong(1))), count);
    }

    @Override
    protected final String goOn() {
        return "UPDATE ${t:store} SET clock_offset = last_heard - %1$s WHERE last_heard > %1$s + clock_offset"
                .formatted(clock());
    }

    /** What begins a transaction in which each statement sees what was committed before it. */
    protected abstract List<String> beginWrite();

    /** What begins a transaction that writes nothing and sees one unchanging state. */
    protected abstract List<String> beginRead();

    /** The columns, of {@code store AS s} and of the server itself, that {@link #readServer} reads. */
    protected abstract String serverColumns();

    /** Which server a step is on; the columns begin with number {@code from}. */
    protected abstract Server readServer(ResultSet row, int from) throws SQLException;

    /** The error itself; of a pool's timeout, that of the connection attempt behind it. */
    protected static SQLException behind(SQLException error) {
        return error instanceof SQLTransientConnectionException && error.getCause() instanceof SQLException behind
                ? behind(behind)
                : error;
    }

    /** Whether a connection that was lent to the store is in the middle of a transaction. */
    protected boolean isInTransaction(Connection connection) throws SQLException {
        return false;
    }

    @Override
    protected final String storeColumns() {
        return now(clock()) + ", s.epoch, s.token_floor, s.max_lease, s.quiet_until, s.last_heard, s.heard_since, "
                + serverColumns();
    }

    @Override
    protected final StoreRow readStore(ResultSet row) throws SQLException {
        if (!readServer(row, COLUMNS + 1).equals(server)) {
            throw new AnotherServer();
        }
        return new StoreRow(
                row.getLong(1),
                row.getInt(2),
                row.getLong(3),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6),
                row.getLong(7),
                false);
    }
}
