package io.interlock.store.sql;

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
     *
     * @param last a query of one number: the last one given, also if its record is gone; 0 if none was
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
     * @param last a query of one number: the last one given
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
     *
     * @param last a query of one number: the last one given
     */
    record Latched(String last) implements AuditNumbers {}
}
