package io.interlock.engine.schedule;

import com.cronutils.model.Cron;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.parser.CronParser;
import io.interlock.InvalidSettingException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads cron expressions, and says where one is wrong. */
final class CronText {

    private static final String SETTING = "schedule";
    private static final String EXAMPLE = "write minute hour day-of-month month day-of-week, for example"
            + " \"0 3 * * *\" for 03:00 every day, \"*/10 * * * *\" for every ten minutes, or @daily";
    private static final int MAX_LENGTH = 200;
    private static final int HOUR = 1;
    private static final List<String> FIELDS = List.of("minute", "hour", "day of month", "month", "day of week");
    private static final Map<String, String> NICKNAMES = Map.of(
            "@hourly", "0 * * * *",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@weekly", "0 0 * * 0",
            "@monthly", "0 0 1 * *",
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *");

    // Whether a day ever comes does not depend on where one begins: leap years are never more than eight years apart.
    private static final Instant ANY_TIME = Instant.parse("2025-01-01T00:00:00Z");

    private CronText() {}

    static FireTimes parse(String text, ZoneId zone) {
        if (text.length() > MAX_LENGTH) {
            throw wrong(
                    text.substring(0, 40) + "…", "has " + text.length() + " characters; the limit is " + MAX_LENGTH);
        }
        String name = text.strip().toLowerCase(Locale.ROOT);
        if (name.startsWith("@") && !NICKNAMES.containsKey(name)) {
            throw wrong(text, "is not one of @hourly, @daily, @weekly, @monthly, @yearly");
        }
        String expression = NICKNAMES.getOrDefault(name, text.strip());
        List<String> fields = Arrays.asList(expression.split("\\s+"));
        if (expression.isEmpty() || fields.size() != FIELDS.size()) {
            int found = expression.isEmpty() ? 0 : fields.size();
            throw wrong(text, "has " + found + (found == 1 ? " field" : " fields") + "; it must have " + FIELDS.size());
        }
        FireTimes times =
                new FireTimes(text, zone, read(text, fields), !fields.get(HOUR).startsWith("*"));
        if (times.next(ANY_TIME).isEmpty()) {
            throw wrong(text, "names a day that never comes");
        }
        return times;
    }

    private static Cron read(String text, List<String> fields) {
        try {
            return parser().parse(String.join(" ", fields)).validate();
        } catch (IllegalArgumentException broken) {
            throw wrong(text, where(text, fields, broken));
        }
    }

    // The library does not tell which field is broken: it is the first one that is so also on its own.
    private static String where(String text, List<String> fields, IllegalArgumentException broken) {
        int at = 0;
        for (int field = 0; field < fields.size(); field++) {
            at = text.indexOf(fields.get(field), at);
            List<String> alone = new ArrayList<>(Collections.nCopies(FIELDS.size(), "*"));
            alone.set(field, fields.get(field));
            try {
                parser().parse(String.join(" ", alone)).validate();
            } catch (IllegalArgumentException culprit) {
                return "is wrong at character " + (at + 1) + ", field " + (field + 1) + " (" + FIELDS.get(field) + ") '"
                        + fields.get(field) + "': " + reason(culprit);
            }
            at += fields.get(field).length();
        }
        return "is wrong: " + reason(broken);
    }

    private static String reason(IllegalArgumentException culprit) {
        String said = String.valueOf(culprit.getMessage()).replace("Failed to parse cron expression. ", "");
        return said.isEmpty() ? "not understood" : said;
    }

    // Parsers keep state while they parse: one for each expression.
    private static CronParser parser() {
        return new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));
    }

    private static InvalidSettingException wrong(String text, String broken) {
        return new InvalidSettingException(SETTING, text, broken, EXAMPLE);
    }
}
