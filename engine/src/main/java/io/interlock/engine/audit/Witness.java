package io.interlock.engine.audit;

import io.interlock.InvalidSettingException;
import io.interlock.run.AuditChain.Seal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A link of the audit chain that was written down outside the store, where write access to the store does not reach it. The
 * chain must still have it; so a witness shows that nothing up to its position was changed or cut off.
 *
 * @param hash its hash
 * @param at when its record was made, or {@code null} if that is not known; with it, a record that was removed before its
 *     time is found, too
 */
public record Witness(long position, String hash, @Nullable Instant at) {

    private static final Pattern TEXT = Pattern.compile("([0-9]{1,18}):([0-9a-fA-F]{64})(?:@(\\S+))?");

    /** The witness of a link. */
    public static Witness of(Seal link, @Nullable Instant at) {
        return new Witness(link.position(), link.hash(), at);
    }

    /**
     * Reads what {@link #toString()} writes; the time may be left out.
     *
     * @throws InvalidSettingException if it is something else
     */
    public static Witness parse(String text) {
        Matcher matcher = TEXT.matcher(text.strip());
        if (!matcher.matches()) {
            throw malformed(text);
        }
        String time = matcher.group(3);
        try {
            return new Witness(
                    Long.parseLong(matcher.group(1)),
                    matcher.group(2).toLowerCase(Locale.ROOT),
                    time == null ? null : Instant.parse(time));
        } catch (DateTimeException noTime) {
            throw malformed(text);
        }
    }

    private static InvalidSettingException malformed(String text) {
        return new InvalidSettingException(
                "witness",
                text,
                "is not POSITION:HASH or POSITION:HASH@TIME with 64 hexadecimal digits of hash",
                "copy it from the log line of the audit chain, or from a file that --write-witness has written");
    }

    /** {@code POSITION:HASH@TIME}, or {@code POSITION:HASH}. */
    @Override
    public String toString() {
        return position + ":" + hash + (at == null ? "" : "@" + at);
    }
}
