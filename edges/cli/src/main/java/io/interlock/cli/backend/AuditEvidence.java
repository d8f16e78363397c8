package io.interlock.cli.backend;

import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.Witness;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known about an audit log from outside its store.
 *
 * @param witnesses links that were written down earlier
 * @param key what signs the log, or {@code null}; a server has its own
 * @param keptFor how long records are kept, or {@code null}; a server knows it
 */
public record AuditEvidence(
        List<Witness> witnesses,
        @Nullable AuditKey key,
        @Nullable Duration keptFor) {

    /** Copies the witnesses. */
    public AuditEvidence {
        witnesses = List.copyOf(witnesses);
    }
}
