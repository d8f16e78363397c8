package io.interlock.spi.run.rules;

import io.interlock.run.AuditRecord;

/**
 * The actor and the reason of a change, for the audit log.
 *
 * @param actor who
 * @param reason why
 */
record ChangeReason(String actor, String reason) {

    /** A change that follows from the rules alone. */
    static ChangeReason rule(String reason) {
        return new ChangeReason(AuditRecord.RULES, reason);
    }
}
