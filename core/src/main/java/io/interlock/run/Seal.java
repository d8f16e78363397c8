package io.interlock.run;

/**
 * A link of the hash chain that shows changes of the audit log: a hash over a record, its position and the previous
 * link.
 *
 * @param position its position in the chain, from 1, without gaps
 * @param hash SHA-256, as 64 hexadecimal digits
 */
public record Seal(long position, long sequence, String hash) {

    /** The predecessor of the first link. */
    public static final Seal GENESIS = new Seal(0, 0, "0".repeat(64));
}
