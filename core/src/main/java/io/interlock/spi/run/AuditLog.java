package io.interlock.spi.run;

import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
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

    /**
     * A link and what it seals.
     *
     * @param seal the link
     * @param record its record, or {@code null} if that is gone
     */
    record Sealed(Seal seal, @Nullable AuditRecord record) {}
}
