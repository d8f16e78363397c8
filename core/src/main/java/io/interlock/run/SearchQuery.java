package io.interlock.run;

import io.interlock.InvalidSettingException;
import io.interlock.RunId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What to search for: a run's id, its beginning or its last digits; a part of a key, of a holder or of a label. Capitals do not matter.
 *
 * @param text what is searched for
 * @param limit the maximum number of each kind, 1 to {@value #MAX_LIMIT}
 */
public record SearchQuery(String tenant, String text, int limit) {

    /** The largest number of each kind. */
    public static final int MAX_LIMIT = 50;

    /** How many digits of an id people are shown: the last ones, because the first ones are the time. */
    public static final int SHORT_ID = 8;

    /** How many of the newest runs are looked at for what no index has: last digits of ids, and labels. */
    public static final int LOOKED_AT = 20_000;

    private static final Pattern ID = Pattern.compile("[0-9a-f-]+");
    private static final int DIGITS = 32;

    public SearchQuery {
        text = text.strip().toLowerCase(Locale.ROOT);
        if (text.isEmpty() || text.length() > 200) {
            throw new InvalidSettingException(
                    "q", text, "must have 1 to 200 characters", "search for a key, an id, a label, a holder or a job");
        }
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new InvalidSettingException(
                    "limit", limit, "must be from 1 to " + MAX_LIMIT, "search for something more precise");
        }
    }

    /** Whether it may be an id or a part of one. */
    public boolean mayBeId() {
        int digits = digits(text).length();
        return ID.matcher(text).matches() && digits >= SHORT_ID && digits <= DIGITS;
    }

    /** Whether it may be the last digits of an id. */
    public boolean mayBeShortId() {
        return mayBeId() && text.length() == SHORT_ID;
    }

    /** The first id that begins with the text. */
    public RunId firstId() {
        return padded('0');
    }

    /** The last id that begins with the text. */
    public RunId lastId() {
        return padded('f');
    }

    private static String digits(String id) {
        return id.replace("-", "");
    }

    private RunId padded(char digit) {
        String all = digits(text)
                + String.valueOf(digit).repeat(DIGITS - digits(text).length());
        return RunId.parse(all.substring(0, 8) + "-" + all.substring(8, 12) + "-" + all.substring(12, 16) + "-"
                + all.substring(16, 20) + "-" + all.substring(20));
    }

    /** Whether {@code run} has such an id. */
    public boolean isIdOf(Run run) {
        String id = digits(run.id().toString());
        return mayBeId() && (id.startsWith(digits(text)) || (mayBeShortId() && id.endsWith(text)));
    }

    /** Whether {@code word} contains the text. */
    public boolean isIn(String word) {
        return word.toLowerCase(Locale.ROOT).contains(text);
    }

    /** Whether {@code label} contains the text in its name, its value or as {@code name=value}. */
    public boolean isIn(Map.Entry<String, String> label) {
        return isIn(label.getKey() + "=" + label.getValue());
    }

    /** What the name or value of a label has to contain. */
    public Optional<String> inLabel() {
        return Optional.of(text.substring(text.indexOf('=') + 1)).filter(value -> !value.isEmpty());
    }

    /**
     * What a search found, up to the limit of each kind and one more if there is more.
     *
     * @param runs runs with such an id, the newest first
     * @param keys keys with the text in their name, in the order of their names; also keys that nothing goes on under now
     * @param holders holders of leases with the text in their name
     * @param labels labels of runs, with the text in name or value
     */
    public record SearchResult(
            List<Run> runs, List<KeyView> keys, List<String> holders, List<Map.Entry<String, String>> labels) {}
}
