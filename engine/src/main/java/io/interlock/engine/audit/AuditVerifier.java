package io.interlock.engine.audit;

import io.interlock.spi.run.AuditLog;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether the audit log was changed since it was sealed, and whether two runs ever had one key at a time. It looks
 * at the whole log from the oldest record that was not forgotten, a page at a time; anything else may go on meanwhile. It
 * changes nothing.
 *
 * <p>By the store alone it cannot see records that were changed before they were sealed, which happens within seconds, and a
 * chain that was written anew as a whole. What is kept outside the store finds that, too: a {@link Witness} finds everything
 * up to its position, an {@link AuditKey} everything up to the link that was signed last.
 *
 * <p>Its memory holds the keys under which a run counts as running, not the log. Of keys where no run does, it knows the last
 * tokens of some ten thousand, those that were granted last. Safe for use by many threads.
 */
public final class AuditVerifier {

    private final AuditLog audit;

    /** Looks at {@code audit}. */
    public AuditVerifier(AuditLog audit) {
        this.audit = audit;
    }

    /**
     * What is known from outside the store.
     *
     * @param witnesses links as they were
     * @param key the key that signs the chain, or {@code null} if it is not signed
     * @param keptSince records made since then are not forgotten yet; {@code null} if that is not known
     */
    public record Outside(
            List<Witness> witnesses,
            @Nullable AuditKey key,
            @Nullable Instant keptSince) {

        /** Nothing is known from outside. */
        public static final Outside NOTHING = new Outside(List.of(), null, null);

        /** Copies the witnesses. */
        public Outside {
            witnesses = List.copyOf(witnesses);
        }
    }

    /** Looks at everything that is sealed. */
    public AuditReport verify() {
        return verify(Outside.NOTHING);
    }

    /** Looks at everything that is sealed, and compares it with what is known from outside the store. */
    public AuditReport verify(Outside outside) {
        AuditCheck check = new AuditCheck(audit, outside);
        check.advance(Integer.MAX_VALUE);
        check.compareWithStore();
        return check.report();
    }
}
