package io.interlock.store.sql;

import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AuditLog;
import io.interlock.store.sql.Dialect.AuditNumbers;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Audit records that are there for good and not sealed yet, in the order of their numbers. A record with a smaller number than
 * the last one sealed would never be sealed; so a record is left out as long as a smaller number may still come to light.
 *
 * <p>What is known about missing numbers is kept in memory, so that nothing is written for it. Safe for use by many threads.
 */
final class UnsealedRecords {

    private static final String AFTER = "SELECT " + AuditTable.COLUMNS + """

             FROM ${t:audit} AS a
             WHERE a.sequence > coalesce((SELECT s.sequence FROM ${t:seal} AS s ORDER BY s.position DESC LIMIT 1),
                                         (SELECT c.sequence FROM ${t:seal_anchor} AS c WHERE c.one = 1), 0)
             ORDER BY a.sequence LIMIT ?""";

    private static final String LAST = "SELECT a.sequence FROM ${t:audit} AS a ORDER BY a.sequence DESC LIMIT 1";

    /**
     * After so many looks without success it takes a new mark. The store may have been put back to an earlier state, whose
     * transactions have smaller ids.
     */
    private static final int MOST_LOOKS = 60;

    private final Database database;
    private volatile Known known = Known.NOTHING;

    UnsealedRecords(Database database) {
        this.database = database;
    }

    /**
     * What this process knows about missing numbers.
     *
     * @param sealed the position of the last link when it was found out
     * @param settled no number up to this one will come to light any more
     * @param waiting what is waited for, or {@code null}
     */
    private record Known(
            long sealed, long settled, @Nullable Mark waiting) {

        static final Known NOTHING = new Known(0, 0, null);
    }

    /**
     * Numbers up to {@code last} are settled once all transactions with ids below {@code next} have ended.
     *
     * @param looks how often they had not
     */
    private record Mark(long last, long next, int looks) {}

    /**
     * What follows the last link.
     *
     * @param last the last number given, where that means anything
     */
    private record Tail(SealTable.Ends ends, List<AuditRecord> records, long last) {

        Seal head() {
            return ends.head();
        }

        /** How many numbers are missing after the last link, where all have a record. */
        long missing() {
            long next = records.isEmpty() ? last + 1 : records.get(0).sequence();
            return next - head().sequence() - 1;
        }

        /** The first records after number {@code before} that miss no numbers but those up to {@code settled}. */
        List<AuditRecord> withoutGap(long before, long settled) {
            long previous = before;
            int end = 0;
            for (AuditRecord record : records) {
                if (record.sequence() != previous + 1 && record.sequence() > settled) {
                    break;
                }
                previous = record.sequence();
                end++;
            }
            return List.copyOf(records.subList(0, end));
        }
    }

    List<AuditRecord> first(int limit) {
        if (database.dialect().auditNumbers() instanceof AuditNumbers.InOrder inOrder) {
            return inOrder(inOrder, limit);
        }
        Known before = known;
        Tail tail = database.read(transaction -> tail(transaction, limit, null));
        if (tail.head().position() < before.sealed()) {
            // The chain is shorter than it was: the store was put back to an earlier state.
            before = Known.NOTHING;
        }
        List<AuditRecord> found = tail.withoutGap(tail.head().sequence(), before.settled());
        int seen = tail.records().size();
        // What is behind a gap among the last records can wait.
        if (found.size() < seen && (found.isEmpty() || seen == limit)) {
            before = settled(before, tail.records().get(seen - 1).sequence());
            tail = database.read(transaction -> tail(transaction, limit, null));
            found = tail.withoutGap(tail.head().sequence(), before.settled());
        }
        known = new Known(tail.head().position(), before.settled(), before.waiting());
        return found;
    }

    /** Finds out up to which number none will come to light any more. Records are read afterwards, so that all are seen. */
    private Known settled(Known before, long seen) {
        if (!(database.dialect().auditNumbers() instanceof AuditNumbers.OutOfOrder ids)) {
            database.write(Database.Lane.STEPS, PauseSteps::alone);
            return new Known(before.sealed(), seen, null);
        }
        Mark waiting =
                before.waiting() == null || before.waiting().looks() >= MOST_LOOKS ? mark(ids) : before.waiting();
        long oldest = database.peek(transaction -> transaction.query(ids.oldestOpen(), Trip.NUMBER));
        return oldest >= waiting.next()
                ? new Known(before.sealed(), Math.max(before.settled(), waiting.last()), null)
                : new Known(
                        before.sealed(),
                        before.settled(),
                        new Mark(waiting.last(), waiting.next(), waiting.looks() + 1));
    }

    /** The last number is read before the mark is taken: a transaction that has drawn it or a smaller one has an id below the mark. */
    private Mark mark(AuditNumbers.OutOfOrder ids) {
        return database.write(Database.Lane.STEPS, transaction -> {
            Trip trip = transaction.trip();
            Trip.Answer<Long> last = trip.query(ids.last(), Trip.NUMBER);
            Trip.Answer<Long> next = trip.query(ids.next(), Trip.NUMBER);
            transaction.commit(trip);
            return new Mark(last.get(), next.get(), 0);
        });
    }

    /** Records up to the next number that is missing. Numbers that are missing before them get links without records. */
    private List<AuditRecord> inOrder(AuditNumbers.InOrder numbers, int limit) {
        Tail seen = database.read(transaction -> tail(transaction, limit, numbers.last()));
        if (seen.missing() <= 0) {
            return seen.withoutGap(seen.head().sequence(), 0);
        }
        return database.write(Database.Lane.STEPS, transaction -> {
            SealTable.lock(transaction, transaction.trip());
            Tail tail = tail(transaction, limit, numbers.last());
            long missing = tail.missing();
            if (missing > 0) {
                SealTable.add(
                        transaction,
                        SealPage.lost(
                                tail.head(),
                                Math.min(missing, limit),
                                tail.ends().at()));
            }
            return missing > limit ? List.of() : tail.withoutGap(tail.head().sequence() + missing, 0);
        });
    }

    /** How far records are counted, and how far they are there. */
    AuditLog.Numbers numbers() {
        AuditNumbers numbers = database.dialect().auditNumbers();
        return database.read(transaction -> {
            Trip trip = transaction.trip();
            // The counter first: a record that comes in between is then no record that is missing.
            Trip.Answer<Long> counted = trip.query(numbers.last(), Trip.NUMBER);
            Trip.Answer<Long> last = trip.query(LAST, Trip.NUMBER);
            Supplier<SealTable.Ends> ends = SealTable.ends(trip);
            transaction.commit(trip);
            long kept = Math.max(last.get(), ends.get().anchor().sequence());
            return new AuditLog.Numbers(counted.get(), kept, numbers.unused(kept));
        });
    }

    private static Tail tail(Transaction transaction, int limit, @Nullable String lastNumber) throws SQLException {
        Trip trip = transaction.trip();
        Supplier<SealTable.Ends> ends = SealTable.ends(trip);
        Trip.Answer<List<AuditRecord>> records = trip.list(AFTER, AuditTable::read, limit);
        Trip.Answer<Long> last = lastNumber == null ? null : trip.query(lastNumber, Trip.NUMBER);
        if (transaction.writes()) {
            trip.run();
        } else {
            transaction.commit(trip);
        }
        return new Tail(ends.get(), records.get(), last == null ? 0 : last.get());
    }
}
