package io.interlock;

/** Why a holder no longer has its lease. */
public enum LossCause {
    /** The store says its time ran out. */
    EXPIRED("it ran out before it was renewed"),
    /** Somebody took it away by force. */
    EVICTED("it was taken away by force"),
    /** The store no longer knows it: ended, and perhaps granted to somebody else since. */
    GONE("the store no longer knows it"),
    /** The store did not confirm a renewal in time, so by the local clock it may be over. */
    UNCONFIRMED("no renewal was confirmed in time"),
    /** It was held for as long as its options allow, and is no longer renewed. */
    OVERDUE("it was held longer than its limit allows"),
    /** The locks it came from were closed while its work went on, and nobody renews it any more. */
    CLOSED("the locks it came from were closed before its work ended"),
    /** Its holder released it. */
    RELEASED("its holder released it");

    private final String explanation;

    LossCause(String explanation) {
        this.explanation = explanation;
    }

    /** The cause in words, continuing the sentence "the lease is lost: …". */
    public String explanation() {
        return explanation;
    }
}
