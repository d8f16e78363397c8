package io.interlock.run;

/**
 * A link of the chain that shows whether somebody has touched the audit log: the hash of a record, its place and the link
 * before it.
 *
 * @param position its place in the chain, from 1, without gaps
 * @param sequence the record's number
 * @param hash SHA-256, as 64 hexadecimal digits
 */
public record Seal(long position, long sequence, String hash) {

    /** What the first link hangs on. */
    public static final Seal GENESIS = new Seal(0, 0, "0".repeat(64));
}
