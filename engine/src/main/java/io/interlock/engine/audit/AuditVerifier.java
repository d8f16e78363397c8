package io.interlock.engine.audit;

import io.interlock.run.Seal;
import io.interlock.spi.run.AuditLog;
import java.util.List;

/**
 * Finds out whether anybody has touched the audit log since it was sealed, and whether two runs ever had one key at a time.
 * It looks at the whole log from the oldest record that was not forgotten, a page at a time; anything else may go on
 * meanwhile. It changes nothing.
 *
 * <p>What it cannot see: records that were changed before they were sealed, which happens within seconds; and a chain that
 * somebody wrote anew as a whole, head included, unless it is shown a link that was written down before.
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

    /** Looks at everything that is sealed. */
    public AuditReport verify() {
        return verify(List.of());
    }

    /**
     * Looks at everything that is sealed, and at links that were written down outside the store.
     *
     * @param witnesses links as they were; those older than the log are left out
     */
    public AuditReport verify(List<Seal> witnesses) {
        AuditCheck check = new AuditCheck(audit, witnesses);
        check.advance(Integer.MAX_VALUE);
        return check.report();
    }
}
