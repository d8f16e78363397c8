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
               AND a.sequence <= ?
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
     * @param head the last link when it was found out
     * @param settled no number up to this one will come to light any more
     * @param waiting what is waited for, or {@code null}
     */
    private record Known(Seal head, long settled, @Nullable Waiting waiting) {

        static final Known NOTHING = new Known(Seal.GENESIS, 0, null);

        /** Up to which number records are worth reading: behind settled ones there may be gaps, and they would be read again. */
        long worthReading() {
            return settled > head.sequence() ? settled : Long.MAX_VALUE;
        }
    }

    /**
     * Numbers up to {@code through} are settled once all transactions with ids below {@code mark} have ended.
     *
     * @param looks how often they had not
     */
    private record Waiting(long through, long mark, int looks) {

        Waiting lookedAgain() {
            return new Waiting(through, mark, looks + 1);
        }
    }

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
        AuditNumbers numbers = database.dialect().auditNumbers();
        if (numbers instanceof AuditNumbers.OutOfOrder ids) {
            return settled(ids, limit);
        }
        return numbers instanceof AuditNumbers.InOrder inOrder ? inOrder(inOrder, limit) : latched(limit);
    }

    private List<AuditRecord> latched(int limit) {
        Tail tail = database.read(transaction -> tail(transaction, Long.MAX_VALUE, limit, null));
        List<AuditRecord> seen = tail.records();
        List<AuditRecord> found = tail.withoutGap(tail.head().sequence(), 0);
        if (found.size() == seen.size()) {
            return found;
        }
        long settled = seen.get(seen.size() - 1).sequence();
        database.write(Database.Lane.STEPS, PauseSteps::alone);
        Tail all = database.read(transaction -> tail(transaction, Long.MAX_VALUE, limit, null));
        return all.withoutGap(all.head().sequence(), settled);
    }

    private List<AuditRecord> settled(AuditNumbers.OutOfOrder ids, int limit) {
        Known before = looked(ids, known);
        Tail tail = tail(before, limit);
        if (tail.head().position() < before.head().position()) {
            // The chain is shorter than it was: the store was put back to an earlier state.
            before = Known.NOTHING;
            tail = tail(before, limit);
        }
        List<AuditRecord> found = tail.withoutGap(tail.head().sequence(), before.settled());
        Waiting waiting = before.waiting();
        boolean gap = found.size() < tail.records().size();
        if (gap ? waiting == null || waiting.looks() >= MOST_LOOKS : waiting == null && found.size() == limit) {
            // Where there are many records, the next ones have gaps as well: what they wait for is asked for in time.
            before = looked(ids, new Known(tail.head(), before.settled(), mark(ids)));
            if (gap && before.waiting() == null) {
                tail = tail(before, limit);
                found = tail.withoutGap(tail.head().sequence(), before.settled());
            }
        }
        known = new Known(tail.head(), before.settled(), before.waiting());
        return found;
    }

    private Tail tail(Known before, int limit) {
        Tail tail = database.read(transaction -> tail(transaction, before.worthReading(), limit, null));
        // All that was worth reading has been sealed meanwhile.
        return tail.records().isEmpty() && before.worthReading() < Long.MAX_VALUE
                ? database.read(transaction -> tail(transaction, Long.MAX_VALUE, limit, null))
                : tail;
    }

    /** Asks whether those have ended that were waited for. Records are read afterwards, so that all of theirs are seen. */
    private Known looked(AuditNumbers.OutOfOrder ids, Known before) {
        Waiting waiting = before.waiting();
        if (waiting == null) {
            return before;
        }
        long oldest = database.peek(transaction -> transaction.query(ids.oldestOpen(), Trip.NUMBER));
        return oldest >= waiting.mark()
                ? new Known(before.head(), Math.max(before.settled(), waiting.through()), null)
                : new Known(before.head(), before.settled(), waiting.lookedAgain());
    }

    /** The last number is read before the mark is taken: a transaction that has drawn it or a smaller one has an id below the mark. */
    private Waiting mark(AuditNumbers.OutOfOrder ids) {
        return database.write(Database.Lane.STEPS, transaction -> {
            Trip trip = transaction.trip();
            Trip.Answer<Long> last = trip.query(ids.last(), Trip.NUMBER);
            Trip.Answer<Long> next = trip.query(ids.next(), Trip.NUMBER);
            transaction.commit(trip);
            return new Waiting(last.get(), next.get(), 0);
        });
    }

    /** Records up to the next number that is missing. Numbers that are missing before them get links without records. */
    private List<AuditRecord> inOrder(AuditNumbers.InOrder numbers, int limit) {
        Tail seen = database.read(transaction -> tail(transaction, Long.MAX_VALUE, limit, numbers.last()));
        if (seen.missing() <= 0) {
            return seen.withoutGap(seen.head().sequence(), 0);
        }
        return database.write(Database.Lane.STEPS, transaction -> {
            SealTable.lock(transaction, transaction.trip());
            Tail tail = tail(transaction, Long.MAX_VALUE, limit, numbers.last());
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

    private static Tail tail(Transaction transaction, long upTo, int limit, @Nullable String lastNumber)
            throws SQLException {
        Trip trip = transaction.trip();
        Supplier<SealTable.Ends> ends = SealTable.ends(trip);
        Trip.Answer<List<AuditRecord>> records = trip.list(AFTER, AuditTable::read, upTo, limit);
        Trip.Answer<Long> last = lastNumber == null ? null : trip.query(lastNumber, Trip.NUMBER);
        if (transaction.writes()) {
            trip.run();
        } else {
            transaction.commit(trip);
        }
        return new Tail(ends.get(), records.get(), last == null ? 0 : last.get());
    }
}
