package io.interlock.run;

/**
 * A link of the audit chain that was signed with a key outside the store. The store keeps the last one and does not know the
 * key, so write access to the store is not enough to make another.
 *
 * @param position the place of the link
 * @param value the signature, or an empty text if there is none
 */
public record AuditSignature(long position, String value) {

    /** The chain was never signed. */
    public static final AuditSignature NONE = new AuditSignature(0, "");

    /** Whether there is one. */
    public boolean isThere() {
        return !value.isEmpty();
    }
}
