package io.interlock.engine.audit;

import io.interlock.InvalidSettingException;
import io.interlock.run.AuditChain.Seal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What came of looking at the audit log.
 *
 * @param toAt when the record of that link was made, or {@code null} if no record was looked at
 * @param findings what is wrong, at most {@link #MAX_FINDINGS}
 */
public record AuditReport(
        Seal from, Seal to, @Nullable Instant toAt, long records, List<AuditFinding> findings, long more) {

    public static final int MAX_FINDINGS = 1000;

    public AuditReport {
        findings = List.copyOf(findings);
    }

    public boolean isClean() {
        return findings.isEmpty();
    }

    /** The last link that was looked at, to be kept outside the store and shown to a later look. */
    public Witness head() {
        return Witness.of(to, toAt);
    }

    /** Runs that had one key at a time. */
    public List<AuditFinding.Overlap> overlaps() {
        return findings.stream()
                .filter(AuditFinding.Overlap.class::isInstance)
                .map(AuditFinding.Overlap.class::cast)
                .toList();
    }

    /** All of it in one line, for people. */
    public String sentence() {
        String looked = records + " records up to position " + to.position();
        return isClean()
                ? looked + ": nothing is wrong"
                : looked + ": " + (findings.size() + more) + " findings, the first: "
                        + findings.get(0).sentence();
    }

    /**
     * A link of the audit chain that was written down outside the store, where write access to the store does not reach it. The
     * chain must still have it; so a witness shows that nothing up to its position was changed or cut off.
     *
     * @param at when its record was made, or {@code null} if that is not known; with it, a record that was removed before its
     *     time is found, too
     */
    public record Witness(
            long position, String hash, @Nullable Instant at) {

        private static final Pattern TEXT = Pattern.compile("([0-9]{1,18}):([0-9a-fA-F]{64})(?:@(\\S+))?");

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
}
