package io.interlock.store.sql;

import io.interlock.run.AuditChain.AuditSignature;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AuditLog.Sealed;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The tables {@code seal} and {@code seal_anchor}: the chain that shows whether the audit log was changed, kept as pages.
 *
 * <p>A transaction that adds to the chain or cuts it has the row of {@code seal_anchor} locked and reads the ends afterwards, so that
 * pages follow each other without a gap. Safe for use by many threads.
 */
final class SealTable {

    private static final String SELECT = "SELECT " + SealPage.COLUMNS + " FROM ${t:seal} AS s ";
    private static final String LAST_PAGE = SELECT + "ORDER BY s.position DESC LIMIT 1";
    private static final String FIRST_PAGES = SELECT + "ORDER BY s.position LIMIT ?";
    private static final String PAGES_AFTER = SELECT + "WHERE s.position > ? ORDER BY s.position LIMIT ?";
    private static final String PAGE_BEFORE = SELECT + "WHERE s.position <= ? ORDER BY s.position DESC LIMIT 1";
    private static final String PAGE_AT = SELECT + "WHERE s.position = ?";
    private static final String ANCHOR =
            "SELECT c.position, c.sequence, c.hash FROM ${t:seal_anchor} AS c WHERE c.one = 1";
    private static final String LOCK = ANCHOR + " ${lock:c}";
    private static final String ANCHOR_COLUMNS = "position bigint, sequence bigint, hash text";
    private static final String SIGNATURE =
            "SELECT c.signed_position, c.signature FROM ${t:seal_anchor} AS c WHERE c.one = 1";
    private static final String SIGN = "UPDATE ${t:seal_anchor} SET signed_position = ?, signature = ? WHERE one = 1";
    private static final String RECORDS = "SELECT " + AuditTable.COLUMNS
            + " FROM ${t:audit} AS a WHERE a.sequence > ? AND a.sequence <= ? ORDER BY a.sequence";
    private static final String AT = "SELECT a.at FROM ${t:audit} AS a WHERE a.sequence = ?";
    private static final String FIRST_AT = "SELECT a.at FROM ${t:audit} AS a ORDER BY a.sequence LIMIT 1";
    private static final String DELETE_RECORDS = "DELETE FROM ${t:audit} WHERE sequence > ? AND sequence <= ?";
    private static final String DELETE_PAGES = "DELETE FROM ${t:seal} WHERE position <= ?";
    private static final String MOVE_ANCHOR =
            "UPDATE ${t:seal_anchor} SET position = ?, sequence = ?, hash = ? WHERE one = 1";

    private final Database database;

    SealTable(Database database) {
        this.database = database;
    }

    /**
     * Both ends of the chain, as one trip has read them.
     *
     * @param anchor the last link whose record was forgotten
     * @param lastPage the last page, or {@code null} if there is none
     */
    record Ends(Seal anchor, @Nullable SealPage lastPage) {

        Seal head() {
            return lastPage == null ? anchor : lastPage.last();
        }

        /** When the last sealed record was made, or 0. */
        long at() {
            return lastPage == null ? 0 : lastPage.at();
        }
    }

    /** Reads the ends of the chain in a trip, and has them once it has been made. */
    static Supplier<Ends> ends(Trip trip) {
        Trip.Answer<Optional<Seal>> anchor = trip.query(ANCHOR, Trip.first(SealTable::anchor));
        Trip.Answer<Optional<SealPage>> last = trip.query(LAST_PAGE, Trip.first(SealPage::read));
        return () -> new Ends(anchor.get().orElse(Seal.GENESIS), last.get().orElse(null));
    }

    Ends ends() {
        return database.read(transaction -> {
            Trip trip = transaction.trip();
            Supplier<Ends> ends = ends(trip);
            transaction.commit(trip);
            return ends.get();
        });
    }

    /** Lets no other transaction change the chain until this one ends, and reads its ends, all in {@code trip}. */
    static Ends lock(Transaction transaction, Trip trip) throws SQLException {
        Ends ends = lockIfThere(trip);
        if (ends == null) {
            Rows first = Rows.of(1, Seal.GENESIS.position(), Seal.GENESIS.sequence(), Seal.GENESIS.hash());
            transaction.update(transaction.dialect().insertMissing("seal_anchor", "one int", ANCHOR_COLUMNS), first);
            ends = lockIfThere(transaction.trip());
        }
        if (ends == null) {
            throw new SQLDataException("the row of seal_anchor is missing");
        }
        return ends;
    }

    private static @Nullable Ends lockIfThere(Trip trip) throws SQLException {
        Trip.Answer<Boolean> locked = trip.query(LOCK, ResultSet::next);
        // The locking statement may have waited, and then shows what was there before. These do not.
        Supplier<Ends> ends = ends(trip);
        trip.run();
        return locked.get() ? ends.get() : null;
    }

    /** Adds links as one page, if {@code head} still is the last link. */
    boolean add(Seal head, List<Seal> links) {
        if (!followEachOther(head, links)) {
            return false;
        }
        return database.write(Database.Lane.STEPS, transaction -> {
            Seal last = links.isEmpty() ? head : links.get(links.size() - 1);
            Trip trip = transaction.trip();
            Trip.Answer<Optional<Long>> at = trip.query(AT, Trip.first(row -> row.getLong(1)), last.sequence());
            Ends ends = lock(transaction, trip);
            if (!ends.head().equals(head)) {
                boolean there = transaction.mayHaveBeenDone() && isThere(transaction, last);
                if (there) {
                    transaction.confirm();
                }
                return there;
            }
            if (!links.isEmpty()) {
                long made = at.get().orElse(ends.at());
                add(transaction, new SealPage(last, head.position() + 1, head.sequence() + 1, made));
            }
            return true;
        });
    }

    /** Adds a page to a chain that is locked, and commits. */
    static void add(Transaction transaction, SealPage page) throws SQLException {
        transaction.commit(transaction.dialect().insert("seal", SealPage.WRITTEN), Rows.of(page.values()));
    }

    private static boolean followEachOther(Seal head, List<Seal> links) {
        Seal last = head;
        for (Seal link : links) {
            if (link.position() != last.position() + 1 || link.sequence() <= last.sequence()) {
                return false;
            }
            last = link;
        }
        return true;
    }

    // An earlier attempt without an answer may have added them. If another process added the very same links, they are
    // ours.
    private static boolean isThere(Transaction transaction, Seal last) throws SQLException {
        return transaction.list(PAGE_AT, SealPage::read, last.position()).stream()
                .anyMatch(page -> page.last().equals(last));
    }

    AuditSignature signature() {
        return database.peek(SealTable::signature);
    }

    /** Replaces the signature, if it still is {@code before}. */
    boolean sign(AuditSignature before, AuditSignature next) {
        return database.write(Database.Lane.STEPS, transaction -> {
            lock(transaction, transaction.trip());
            AuditSignature now = signature(transaction);
            if (now.equals(next)) {
                transaction.confirm();
                return true;
            }
            if (!now.equals(before)) {
                return false;
            }
            transaction.commit(SIGN, next.position(), next.value());
            return true;
        });
    }

    private static AuditSignature signature(Transaction transaction) throws SQLException {
        return transaction.query(
                SIGNATURE,
                rows -> rows.next() ? new AuditSignature(rows.getLong(1), rows.getString(2)) : AuditSignature.NONE);
    }

    /** Links after a place, each with its record. */
    List<Sealed> after(long position, int limit) {
        return database.read(transaction -> {
            Trip trip = transaction.trip();
            Trip.Answer<Optional<Seal>> anchors = trip.query(ANCHOR, Trip.first(SealTable::anchor));
            Trip.Answer<Optional<SealPage>> before = trip.query(PAGE_BEFORE, Trip.first(SealPage::read), position);
            Trip.Answer<List<SealPage>> after = trip.list(PAGES_AFTER, SealPage::read, position, limit);
            trip.run();
            Seal anchor = anchors.get().orElse(Seal.GENESIS);
            Seal link = before.get()
                    .map(SealPage::last)
                    .filter(last -> last.position() > anchor.position())
                    .orElse(anchor);
            List<SealPage> pages = first(after.get(), Math.max(position, link.position()), limit);
            List<Sealed> found = new ArrayList<>();
            for (SealPage.Links page : links(transaction, link, pages)) {
                page.links().stream()
                        .filter(each -> each.seal().position() > position)
                        .limit((long) limit - found.size())
                        .forEach(found::add);
            }
            return List.copyOf(found);
        });
    }

    /** The first pages, as many as {@code limit} links after {@code position} are on. */
    private static List<SealPage> first(List<SealPage> pages, long position, int limit) {
        int count = 0;
        while (count < pages.size()
                && (count == 0 || pages.get(count - 1).last().position() - position < limit)) {
            count++;
        }
        return pages.subList(0, count);
    }

    /** Makes the links of pages again that follow each other after {@code before}. */
    private static List<SealPage.Links> links(Transaction transaction, Seal before, List<SealPage> pages)
            throws SQLException {
        if (pages.isEmpty()) {
            return List.of();
        }
        long from = pages.get(0).linkBefore(before).sequence();
        long to = pages.get(pages.size() - 1).last().sequence();
        List<AuditRecord> records = transaction.list(RECORDS, AuditTable::read, from, to);
        List<SealPage.Links> links = new ArrayList<>();
        Seal last = before;
        int next = 0;
        for (SealPage page : pages) {
            int begin = next;
            while (next < records.size()
                    && records.get(next).sequence() <= page.last().sequence()) {
                next++;
            }
            links.add(page.links(last, records.subList(begin, next)));
            last = page.last();
        }
        return links;
    }

    /**
     * Forgets sealed records made at {@code then} or before, from the beginning of the chain on. It stops for good at a page
     * whose records are not those that were sealed, so that the traces stay.
     *
     * @return how many
     */
    int forget(long then, int limit) {
        if (limit < 1 || !database.peek(transaction -> mayForget(transaction, then))) {
            return 0;
        }
        return database.write(Database.Lane.STEPS, transaction -> {
            Seal anchor = lock(transaction, transaction.trip()).anchor();
            List<SealPage> pages = transaction.list(FIRST_PAGES, SealPage::read, limit);
            Seal last = anchor;
            int forgotten = 0;
            for (SealPage.Links page : links(transaction, anchor, first(pages, anchor.position(), limit))) {
                for (Sealed link : page.links()) {
                    AuditRecord record = link.record();
                    if (!page.verified() || record == null || Micros.of(record.at()) > then || forgotten == limit) {
                        return cut(transaction, anchor, last, forgotten);
                    }
                    last = link.seal();
                    forgotten++;
                }
            }
            return cut(transaction, anchor, last, forgotten);
        });
    }

    private static boolean mayForget(Transaction transaction, long then) throws SQLException {
        Trip trip = transaction.trip();
        Trip.Answer<Optional<Long>> oldest = trip.query(FIRST_AT, Trip.first(row -> row.getLong(1)));
        Trip.Answer<List<SealPage>> pages = trip.list(FIRST_PAGES, SealPage::read, 1);
        trip.run();
        return !pages.get().isEmpty() && oldest.get().map(at -> at <= then).orElse(false);
    }

    private static int cut(Transaction transaction, Seal anchor, Seal last, int count) throws SQLException {
        if (count > 0) {
            Trip trip = transaction.trip();
            trip.update(DELETE_RECORDS, anchor.sequence(), last.sequence());
            trip.update(DELETE_PAGES, last.position());
            trip.update(MOVE_ANCHOR, last.position(), last.sequence(), last.hash());
            transaction.commit(trip);
        }
        return count;
    }

    private static Seal anchor(ResultSet row) throws SQLException {
        return new Seal(row.getLong(1), row.getLong(2), row.getString(3));
    }
}
