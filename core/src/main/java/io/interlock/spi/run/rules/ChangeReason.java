package io.interlock.spi.run.rules;

import io.interlock.Actor;
import io.interlock.run.AuditRecord;

/**
 * The actor and the reason of a change, for the audit log.
 *
 * @param actor the actor
 * @param reason the reason
 */
record ChangeReason(Actor actor, String reason) {

    ChangeReason(String actor, String reason) {
        this(Actor.of(actor), reason);
    }

    /** A change that follows from the rules alone. */
    static ChangeReason rule(String reason) {
        return new ChangeReason(AuditRecord.RULES, reason);
    }
}
