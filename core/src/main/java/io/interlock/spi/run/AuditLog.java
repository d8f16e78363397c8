package io.interlock.spi.run;

import io.interlock.LockKey;
import io.interlock.run.AuditChain.AuditSignature;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The append-only log of all changes, and the hash chain that shows tampering.
 *
 * <p>A record is written in the same step as its change. Later, records are sealed in batches into one chain: only
 * durable records, so that consumers of the chain miss none.
 */
public interface AuditLog {

    /**
     * Adds records of events that changed nothing in the store. The store sets their time, and numbers them in the
     * order of the list. After an unclear answer they may already exist; adding them again duplicates them.
     */
    void append(List<AuditRecord> records);

    /** Records, the newest first. */
    List<AuditRecord> records(AuditQuery query);

    /** The records of a key, in order. A pause is recorded under its tenant and pattern. */
    List<AuditRecord> records(LockKey key);

    /** Durable records that are not sealed yet, in the order of their numbers. */
    List<AuditRecord> unsealed(int limit);

    /** The last link; {@link Seal#GENESIS} if there is none. */
    Seal head();

    /** The last link whose record was deleted because of its age; {@link Seal#GENESIS} if none was. */
    Seal anchor();

    /**
     * Adds links, if {@code head} is still the last one.
     *
     * @return whether it was, and they were added
     */
    boolean seal(Seal head, List<Seal> links);

    /** Links with a position above {@code after}, in order, each with its record. */
    List<Sealed> sealed(long after, int limit);

    /** The last link that was signed; {@link AuditSignature#NONE} if none was. */
    AuditSignature signature();

    /**
     * Replaces the signature, if it is still {@code before}.
     *
     * @return whether the signature is {@code next} now
     */
    boolean sign(AuditSignature before, AuditSignature next);

    /** The store's counter of records, to compare with the existing records. */
    Numbers numbers();

    /**
     * The last counted and the last existing record.
     *
     * @param counted the last assigned number, even if its record is gone
     * @param kept the number of the last record that exists, or was deleted because of its age
     * @param unused how many numbers after {@code kept} may have no record although none was deleted: those of steps
     * in progress or rolled back
     */
    record Numbers(long counted, long kept, long unused) {

        /** How many records are missing at the end of the log; 0 if rolled-back steps may explain it. */
        public long missing() {
            return counted - kept > unused ? counted - kept : 0;
        }
    }

    /**
     * A link and its record.
     *
     * @param record its record, or {@code null} if that is gone
     */
    record Sealed(Seal seal, @Nullable AuditRecord record) {}
}
