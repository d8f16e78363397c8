package io.interlock.engine.audit;

import io.interlock.run.AuditChain.Seal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of looking at the audit log.
 *
 * @param from the link after which it was looked at
 * @param to the last link that was looked at
 * @param toAt when the record of that link was made, or {@code null} if no record was looked at
 * @param findings what is wrong, at most {@link #MAX_FINDINGS}
 * @param more how many findings are left out
 */
public record AuditReport(
        Seal from, Seal to, @Nullable Instant toAt, long records, List<AuditFinding> findings, long more) {

    /** The most findings that are kept. */
    public static final int MAX_FINDINGS = 1000;

    public AuditReport {
        findings = List.copyOf(findings);
    }

    /** Whether nothing is wrong. */
    public boolean isClean() {
        return findings.isEmpty();
    }

    /** The last link that was looked at, to be kept outside the store and shown to a later look. */
    public Witness head() {
        return Witness.of(to, toAt);
    }

    /** Runs that had one key at a time. */
    public List<AuditFinding.Overlap> overlaps() {
        return findings.stream()
                .filter(AuditFinding.Overlap.class::isInstance)
                .map(AuditFinding.Overlap.class::cast)
                .toList();
    }

    /** All of it in one line, for people. */
    public String sentence() {
        String looked = records + " records up to position " + to.position();
        return isClean()
                ? looked + ": nothing is wrong"
                : looked + ": " + (findings.size() + more) + " findings, the first: "
                        + findings.get(0).sentence();
    }
}
