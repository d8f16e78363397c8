package io.interlock.engine;

import io.interlock.run.AuditRecord;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A part of the audit log, in the order of its chain.
 *
 * @param forgotten the place of the last link whose record was forgotten because of its age; 0 if none was
 * @param head the place of the last link there is; 0 if there is none
 * @param links links in order
 */
public record ChainPage(long forgotten, long head, List<Link> links) {

    public ChainPage {
        links = List.copyOf(links);
    }

    /**
     * A link.
     *
     * @param position its place in the chain, from 1, without gaps
     * @param record what it seals, or {@code null} if that is gone
     */
    public record Link(long position, @Nullable AuditRecord record) {

        /** What it seals, if that is still there. */
        public Optional<AuditRecord> sealed() {
            return Optional.ofNullable(record);
        }
    }
}
