package io.interlock.run;

import io.interlock.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The hash chain of audit records. Changing, removing or moving a record breaks every link after it. */
public final class AuditChain {

    private static final int USUAL_BYTES = 512;

    private AuditChain() {}

    /** The link for {@code record} after {@code head}. */
    public static Seal next(Seal head, AuditRecord record) {
        long position = head.position() + 1;
        return new Seal(position, record.sequence(), hash(head.hash(), position, record));
    }

    private static String hash(String before, long position, AuditRecord record) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(USUAL_BYTES);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            text(out, before);
            out.writeLong(position);
            out.writeLong(record.sequence());
            text(out, record.at());
            text(out, record.key().tenant());
            text(out, record.key().name());
            text(out, record.run());
            text(out, record.token() == null ? null : record.token().value());
            text(out, record.actor());
            text(out, record.action());
            text(out, record.before());
            text(out, record.after());
            text(out, record.reason());
            text(out, record.correlation());
            text(out, record.address());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return HexFormat.of().formatHex(Sha256.begin().digest(bytes.toByteArray()));
    }

    // Each text with its length, and null distinct from empty, so that no two records have the same bytes.
    private static void text(DataOutputStream out, @Nullable Object text) throws IOException {
        if (text == null) {
            out.writeInt(-1);
            return;
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }
}
