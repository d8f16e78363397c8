package io.interlock.store.sql;

import java.sql.SQLException;
import java.util.function.Supplier;

/**
 * The ways to a database: transactions that write, and reads of one unchanging state. A transaction that fails because of
 * others is made again as a whole, within the timeout; then the store is unavailable. Safe for use by many threads.
 */
public interface Database extends AutoCloseable {

    /** Which connections a call uses, so that it never waits behind less urgent ones. */
    enum Lane {
        /** New work. */
        STEPS,
        /** Renewals, heartbeats, turns and endings. */
        URGENT
    }

    /** What is done in a transaction. */
    @FunctionalInterface
    interface Work<T> {

        /** Does it. A transaction that is not {@linkplain Transaction#commit committed} changes nothing. */
        T run(Transaction transaction) throws SQLException;
    }

    /** Kind and place of the database, for people, without secrets. */
    String store();

    Dialect dialect();

    /**
     * Whether a write keeps all others out, so that steps look first and write only if they have to, a bounded number of
     * requests at a time.
     */
    default boolean hasOneWriter() {
        return false;
    }

    /**
     * Runs {@code work} in a transaction that may lock and write.
     *
     * @throws io.interlock.StoreUnavailableException if there is no clear answer within the timeout
     */
    <T> T write(Lane lane, Work<T> work);

    /** Runs {@code work} on one unchanging state of all tables; it locks and writes nothing. */
    <T> T read(Work<T> work);

    /** Runs {@code work}, each of whose statements needs to see no more than what was committed when it began. */
    default <T> T peek(Work<T> work) {
        return read(work);
    }

    /** Runs {@code work}, which is a single trip whose statement changes rows and is its own transaction. */
    default <T> T once(Lane lane, Work<T> work) {
        return write(lane, work);
    }

    /** Makes calls that may take no longer together than one alone, if {@code calls} are made one after the other. */
    default <T> T together(Supplier<T> calls) {
        return calls.get();
    }

    @Override
    void close();
}
