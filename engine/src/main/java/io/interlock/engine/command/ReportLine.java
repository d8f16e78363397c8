package io.interlock.engine.command;

import io.interlock.engine.command.internal.JsonText;
import io.interlock.run.Progress;
import io.interlock.run.RunTexts;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A line by which a command reports: {@code ::interlock stage=load progress=12/20}, {@code ::interlock progress=60%} or
 * {@code ::interlock result={"rows":17}}.
 *
 * @param stage the stage that begins, or {@code null}
 * @param progress how far it is, or {@code null}
 * @param result what it brought forth, as JSON of at most 64 KiB, or {@code null}
 */
record ReportLine(
        @Nullable String stage,
        @Nullable Progress progress,
        @Nullable String result) {

    static final String PREFIX = "::interlock ";

    /** The longest line that can be a report. */
    static final int LONGEST = PREFIX.length() + "result=".length() + RunTexts.MAX_BODY;

    private static final String RESULT = "result=";
    private static final Pattern PART = Pattern.compile("(stage|progress)=(\\S+)");
    private static final Pattern PROGRESS = Pattern.compile("(\\d{1,18})(?:/(\\d{1,18})|%)");

    /** Reads a line that begins with {@link #PREFIX}; empty if it makes no sense, and so is output like any other. */
    static Optional<ReportLine> parse(String line) {
        String said = line.substring(PREFIX.length()).strip();
        return said.startsWith(RESULT) ? result(said.substring(RESULT.length())) : parts(said);
    }

    private static Optional<ReportLine> result(String json) {
        boolean fits = json.getBytes(StandardCharsets.UTF_8).length <= RunTexts.MAX_BODY && JsonText.isValid(json);
        return fits ? Optional.of(new ReportLine(null, null, json)) : Optional.empty();
    }

    private static Optional<ReportLine> parts(String said) {
        String stage = null;
        Progress progress = null;
        for (String part : said.split("\\s+", -1)) {
            Matcher matcher = PART.matcher(part);
            if (!matcher.matches()) {
                return Optional.empty();
            }
            if (matcher.group(1).equals("stage")) {
                stage = stage == null ? stage(matcher.group(2)) : null;
                if (stage == null) {
                    return Optional.empty();
                }
            } else {
                progress = progress == null ? progress(matcher.group(2)) : null;
                if (progress == null) {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(new ReportLine(stage, progress, null));
    }

    private static @Nullable String stage(String name) {
        boolean plain = name.codePoints().noneMatch(Character::isISOControl);
        return plain && name.getBytes(StandardCharsets.UTF_8).length <= RunTexts.MAX_LINE ? name : null;
    }

    private static @Nullable Progress progress(String text) {
        Matcher matcher = PROGRESS.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        long done = Long.parseLong(matcher.group(1));
        long total = matcher.group(2) == null ? 100 : Long.parseLong(matcher.group(2));
        return done <= total ? new Progress(done, total) : null;
    }
}
