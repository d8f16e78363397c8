package io.interlock.store.sql;

import io.interlock.Sha256;
import io.interlock.run.AuditChain;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AuditLog.Sealed;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table {@code seal}: a page of records that were sealed together. Only the last link is kept; the others are
 * made again from the records, and the last one shows whether they are those that were sealed.
 *
 * @param last the last link
 * @param firstPosition the place of the first link
 * @param firstSequence no greater than the number of the first record; all greater numbers up to the last belong to the page
 * @param at when the last record was made, in {@link Micros}
 */
record SealPage(Seal last, long firstPosition, long firstSequence, long at) {

    /** What is written of a page, in the order of {@link #values()}. */
    static final String WRITTEN =
            "position bigint, sequence bigint, hash text, first_position bigint, first_sequence bigint, at bigint";

    /** Of {@code seal AS s}, which {@link #read} reads. */
    static final String COLUMNS = Dialect.select("s", WRITTEN);

    // Far more than are sealed together. Should the row claim more, the places left out are a gap that is noticed.
    private static final long MOST_MISSING = 10_000;

    /**
     * The links of a page, made again.
     *
     * @param links each with its record, or without if that is gone; the last link is the one that was kept
     * @param verified whether the records make that last link
     */
    record Links(List<Sealed> links, boolean verified) {}

    static SealPage read(ResultSet row) throws SQLException {
        return new SealPage(
                new Seal(row.getLong(1), row.getLong(2), row.getString(3)),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6));
    }

    Object[] values() {
        return new Object[] {last.position(), last.sequence(), last.hash(), firstPosition, firstSequence, at};
    }

    /** The link before the page's first one, or before the first one that was not forgotten, given the last link before it. */
    Seal linkBefore(Seal before) {
        // After a page that is missing nothing is known of the link before; its place and number follow from this one.
        return before.position() >= firstPosition - 1
                ? before
                : new Seal(firstPosition - 1, firstSequence - 1, before.hash());
    }

    /** Makes the links again after {@link #linkBefore}, from all records with the page's numbers, in their order. */
    Links links(Seal before, List<AuditRecord> records) {
        List<Sealed> links = new ArrayList<>();
        Seal link = linkBefore(before);
        for (Place place : places(link, records)) {
            AuditRecord record = place.record();
            link = record == null ? lost(link, place.sequence()) : AuditChain.next(link, record);
            links.add(new Sealed(link, record));
        }
        boolean verified = link.equals(last);
        if (!verified && !links.isEmpty()) {
            AuditRecord record = links.get(links.size() - 1).record();
            boolean own = record != null && record.sequence() == last.sequence();
            links.set(links.size() - 1, new Sealed(last, own ? record : null));
        }
        return new Links(List.copyOf(links), verified);
    }

    private record Place(long sequence, @Nullable AuditRecord record) {}

    /**
     * As many places as the page has links. Records that are too many have none. Which ones are missing is known if all
     * numbers of the page were in use; otherwise the first unused numbers stand for them.
     */
    private Collection<Place> places(Seal before, List<AuditRecord> records) {
        SortedMap<Long, Place> places = new TreeMap<>();
        long count = last.position() - before.position();
        for (AuditRecord record : records) {
            if (places.size() < count - 1 || record.sequence() == last.sequence()) {
                places.put(record.sequence(), new Place(record.sequence(), record));
            }
        }
        long missing = Math.min(count - places.size(), MOST_MISSING);
        if (missing > 0 && places.putIfAbsent(last.sequence(), new Place(last.sequence(), null)) == null) {
            missing--;
        }
        for (long number = before.sequence() + 1; missing > 0 && number < last.sequence(); number++) {
            if (places.putIfAbsent(number, new Place(number, null)) == null) {
                missing--;
            }
        }
        return places.values();
    }

    /** Links for {@code count} numbers after {@code head} whose records are gone: no record can agree with them. */
    static SealPage lost(Seal head, long count, long at) {
        Seal last = head;
        for (long i = 0; i < count; i++) {
            last = lost(last, last.sequence() + 1);
        }
        return new SealPage(last, head.position() + 1, head.sequence() + 1, at);
    }

    private static Seal lost(Seal before, long number) {
        long position = before.position() + 1;
        return new Seal(position, number, Sha256.hex("lost " + position + " " + number + " " + before.hash()));
    }
}
