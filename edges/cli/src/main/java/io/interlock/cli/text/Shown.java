package io.interlock.cli.text;

import io.interlock.service.Facts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Facts as people read them, a name and its value to a line. */
public final class Shown {

    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z");
    private static final Pattern DURATION = Pattern.compile("PT[0-9HMS.]+");
    private static final Pattern NEXT_WORD = Pattern.compile("(?<=[a-z])(?=[A-Z])");
    private static final String AND = " · ";

    private Shown() {}

    /** The lines for {@code value}, called {@code name}; further lines stand below the first. */
    public static List<String> lines(String name, Object value) {
        List<String> lines = new ArrayList<>();
        String label = words(name);
        for (String line : texts(value)) {
            lines.add(String.format("  %-14s %s", label, line));
            label = "";
        }
        return lines;
    }

    /** Where something stands, in one sentence: with times as people read them, and its key without the tenant. */
    public static String sentence(Facts facts) {
        String told = Times.readable(facts.text("explanation").orElse("not granted"));
        return facts.text("key")
                .map(key -> told.replaceAll("(?<![^ ])[a-z0-9._-]+:(?=" + Pattern.quote(key) + ")", ""))
                .orElse(told);
    }

    private static String words(String name) {
        return NEXT_WORD.matcher(name).replaceAll(" ").toLowerCase(Locale.ROOT);
    }

    private static List<String> texts(Object value) {
        return value instanceof List<?> list
                ? list.stream().map(Shown::text).toList()
                : text(value).lines().toList();
    }

    private static String text(Object value) {
        Facts facts = Facts.nested(value).orElse(null);
        if (facts != null) {
            if (facts.number("done").isPresent()) {
                return facts.shown("done")
                        + facts.text("total").map(total -> " of " + total).orElse("");
            }
            List<String> parts = new ArrayList<>();
            facts.map().forEach((name, part) -> {
                if (part != null) {
                    parts.add(words(name) + " " + text(part));
                }
            });
            return String.join(AND, parts);
        }
        if (value instanceof List<?> list) {
            return String.join(", ", list.stream().map(Shown::text).toList());
        }
        if (value instanceof Boolean known) {
            return known ? "yes" : "no";
        }
        String text = value.toString();
        if (TIME.matcher(text).matches()) {
            return Times.second(Instant.parse(text));
        }
        return DURATION.matcher(text).matches() ? Times.span(Duration.parse(text)) : text;
    }

    /** Commands as a user can paste them into a shell. */
    public static final class ShellWords {

        private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

        private ShellWords() {}

        public static String join(List<String> words) {
            return words.stream().map(ShellWords::quoted).collect(Collectors.joining(" "));
        }

        private static String quoted(String word) {
            return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
        }
    }
}
