package io.interlock;

/** Why a holder no longer has its lease. */
public enum LossCause {
    /** It expired, according to the store. */
    EXPIRED("it ran out before it was renewed"),
    /** It was evicted. */
    EVICTED("it was taken away by force"),
    /** The store no longer has it: it ended, and the key may have another holder. */
    GONE("the store no longer knows it"),
    /** The store did not confirm a renewal in time, so by the local clock it may have expired. */
    UNCONFIRMED("no renewal was confirmed in time"),
    /** It was held for its max hold, and is no longer renewed. */
    OVERDUE("it was held longer than its limit allows"),
    /** Its {@code Locks} was closed while the work was running, so it is no longer renewed. */
    CLOSED("the locks it came from were closed before its work ended"),
    /** Its holder released it. */
    RELEASED("its holder released it");

    private final String explanation;

    LossCause(String explanation) {
        this.explanation = explanation;
    }

    /** The cause as text, continuing the sentence "the lease is lost: …". */
    public String explanation() {
        return explanation;
    }
}
