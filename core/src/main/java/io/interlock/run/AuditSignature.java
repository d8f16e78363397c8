package io.interlock.run;

/**
 * A signature of a link of the audit chain, made with a key outside the store. The store keeps the last one but not
 * the key, so write access to the store is not enough to forge another.
 *
 * @param value the signature, or an empty text if there is none
 */
public record AuditSignature(long position, String value) {

    /** The chain was never signed. */
    public static final AuditSignature NONE = new AuditSignature(0, "");

    /** Whether there is a signature. */
    public boolean isThere() {
        return !value.isEmpty();
    }
}
