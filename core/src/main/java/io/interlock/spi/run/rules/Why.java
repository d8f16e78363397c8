package io.interlock.spi.run.rules;

import io.interlock.run.AuditRecord;

/**
 * Who changes something, and why; for the audit log.
 *
 * @param actor who
 * @param reason why
 */
record Why(String actor, String reason) {

    /** Nobody in particular: the rules say so. */
    static Why rule(String reason) {
        return new Why(AuditRecord.RULES, reason);
    }
}
