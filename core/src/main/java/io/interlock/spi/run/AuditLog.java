package io.interlock.spi.run;

import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.AuditSignature;
import io.interlock.run.Seal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that was done, append-only, and the chain that shows whether somebody has touched it.
 *
 * <p>Records are kept in the same step as the change they tell of. Later, and in batches, they are sealed one after the
 * other into one chain: only records that are there for good, so that whoever follows the chain misses none.
 */
public interface AuditLog {

    /**
     * Adds records of what changed nothing in the store. Their time is the store's, their numbers are given in the order of the
     * list. After an unclear answer they may be there already; added again, they are there twice.
     */
    void append(List<AuditRecord> records);

    /** Records, the newest first. */
    List<AuditRecord> records(AuditQuery query);

    /** Records that are there for good and not sealed yet, in the order of their numbers. */
    List<AuditRecord> unsealed(int limit);

    /** The last link; {@link Seal#GENESIS} if there is none. */
    Seal head();

    /** The last link whose record was forgotten because of its age; {@link Seal#GENESIS} if none was. */
    Seal anchor();

    /**
     * Adds links, if {@code head} still is the last one.
     *
     * @return whether it was, and they were added
     */
    boolean seal(Seal head, List<Seal> links);

    /** Links with a position above {@code after}, in order, each with its record. */
    List<Sealed> sealed(long after, int limit);

    /** The last link that was signed; {@link AuditSignature#NONE} if none was. */
    AuditSignature signature();

    /**
     * Replaces the signature, if it still is {@code before}.
     *
     * @return whether the signature is {@code next} now
     */
    boolean sign(AuditSignature before, AuditSignature next);

    /** What the store's counter of records says, to compare with the records that are there. */
    Numbers numbers();

    /**
     * How far records are counted, and how far they are there.
     *
     * @param counted the last number that was given, also if its record is gone
     * @param kept the number of the last record that is there, or was forgotten because of its age
     * @param unused how many numbers after {@code kept} may have no record though none was deleted: those of steps under way
     *     or rolled back
     */
    record Numbers(long counted, long kept, long unused) {

        /** How many records are missing at the end of the log; 0 if steps that came to nothing may explain it. */
        public long missing() {
            return counted - kept > unused ? counted - kept : 0;
        }
    }

    /**
     * A link and what it seals.
     *
     * @param seal the link
     * @param record its record, or {@code null} if that is gone
     */
    record Sealed(Seal seal, @Nullable AuditRecord record) {}
}
