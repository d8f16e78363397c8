package io.interlock.run;

import io.interlock.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The hash chain of audit records. Changing, removing or moving a record breaks every link after it. */
public final class AuditChain {

    private static final byte[] NONE = {};

    /** The time of the last record, as any thread has written it. */
    private static volatile Shown last = new Shown(Instant.EPOCH, Instant.EPOCH.toString());

    private record Shown(Instant at, String text) {}

    private AuditChain() {}

    /** The link for {@code record} after {@code head}. */
    public static Seal next(Seal head, AuditRecord record) {
        long position = head.position() + 1;
        return new Seal(position, record.sequence(), hash(head.hash(), position, record));
    }

    private static String hash(String before, long position, AuditRecord record) {
        byte[][] texts = {
            bytes(before),
            bytes(shown(record.at())),
            bytes(record.key().tenant()),
            bytes(record.key().name()),
            bytes(record.run()),
            bytes(record.token() == null ? null : record.token().value()),
            bytes(record.actor()),
            bytes(record.action()),
            bytes(record.before()),
            bytes(record.after()),
            bytes(record.reason()),
            bytes(record.correlation()),
            bytes(record.address())
        };
        int size = 2 * Long.BYTES + texts.length * Integer.BYTES;
        for (byte[] text : texts) {
            size += text.length;
        }
        // Of all that a process does for the audit log, this takes the most time.
        ByteBuffer all = ByteBuffer.allocate(size);
        add(all, texts[0]);
        all.putLong(position).putLong(record.sequence());
        for (int i = 1; i < texts.length; i++) {
            add(all, texts[i]);
        }
        return HexFormat.of().formatHex(Sha256.begin().digest(all.array()));
    }

    // To write a time takes as long as all else. The records of one step have the same.
    private static String shown(Instant at) {
        Shown known = last;
        if (!known.at.equals(at)) {
            known = new Shown(at, at.toString());
            last = known;
        }
        return known.text;
    }

    private static byte[] bytes(@Nullable Object text) {
        return text == null ? NONE : text.toString().getBytes(StandardCharsets.UTF_8);
    }

    // Each text with its length, and null distinct from empty, so that no two records have the same bytes.
    private static void add(ByteBuffer all, byte[] text) {
        all.putInt(text == NONE ? -1 : text.length).put(text);
    }

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
}
