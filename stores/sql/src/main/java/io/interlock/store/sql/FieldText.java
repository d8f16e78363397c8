package io.interlock.store.sql;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Facts as text, a line {@code name=value} for each; a name may come more than once, and one without a value is left out. In
 * values a backslash, control characters and halves of surrogate pairs are escaped, so that every Java string comes back as
 * it was, and every fact is one line to people.
 *
 * <p>Reading is strict: a line that no reader asks for is an error, and so is a fact that is missing.
 */
final class FieldText {

    // Line separators end a line for people and for some programs; halves of pairs cannot be written as UTF-8.
    private static final Pattern ESCAPED = Pattern.compile("[\\\\\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}]");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:(\\\\)|u(\\p{XDigit}{4}))?");

    private final Map<String, List<String>> fields = new LinkedHashMap<>();

    /** The facts that {@link #toString()} wrote. */
    static FieldText parse(String text) {
        FieldText parsed = new FieldText();
        text.lines().forEach(line -> {
            int equals = line.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("is no fact: " + line);
            }
            parsed.add(line.substring(0, equals), unescaped(line.substring(equals + 1)));
        });
        return parsed;
    }

    FieldText put(String name, @Nullable Object value) {
        if (value != null) {
            add(name, value.toString());
        }
        return this;
    }

    /** Adds a fact, or nothing if it is what a reader assumes. */
    FieldText put(String name, @Nullable Object value, Object assumed) {
        return assumed.equals(value) ? this : put(name, value);
    }

    /** A time as seconds, with a fraction if there is one: shorter than the words of ISO 8601, and sooner read. */
    static @Nullable String written(@Nullable Duration time) {
        return time == null ? null : written(time.getSeconds(), time.getNano());
    }

    /** A moment as seconds since 1970. */
    static @Nullable String written(@Nullable Instant moment) {
        return moment == null ? null : written(moment.getEpochSecond(), moment.getNano());
    }

    static Duration time(String text) {
        BigDecimal seconds = new BigDecimal(text);
        return Duration.ofSeconds(
                seconds.longValue(),
                seconds.remainder(BigDecimal.ONE).movePointRight(9).intValueExact());
    }

    static Instant moment(String text) {
        Duration since = time(text);
        return Instant.ofEpochSecond(since.getSeconds(), since.getNano());
    }

    private static String written(long seconds, int nanos) {
        return nanos == 0
                ? Long.toString(seconds)
                : BigDecimal.valueOf(nanos, 9)
                        .add(BigDecimal.valueOf(seconds))
                        .stripTrailingZeros()
                        .toPlainString();
    }

    String need(String name) {
        return Objects.requireNonNull(take(name), () -> "lacks " + name);
    }

    <T> T need(String name, Function<String, T> as) {
        return as.apply(need(name));
    }

    <T> @Nullable T take(String name, Function<String, T> as) {
        String value = take(name);
        return value == null ? null : as.apply(value);
    }

    /** The same; {@code assumed} if it is not there. */
    <T> T take(String name, Function<String, T> as, T assumed) {
        T value = take(name, as);
        return value == null ? assumed : value;
    }

    @Nullable
    String take(String name) {
        List<String> found = takeAll(name);
        if (found.size() > 1) {
            throw new IllegalArgumentException("has " + found.size() + " times " + name);
        }
        return found.isEmpty() ? null : found.get(0);
    }

    List<String> takeAll(String name) {
        List<String> found = fields.remove(name);
        return found == null ? List.of() : found;
    }

    /** Takes all facts of two names, the first of one with the first of the other, and so on. */
    <T> List<T> takePairs(String name, String other, BiFunction<String, String, T> as) {
        List<String> left = takeAll(name);
        List<String> right = takeAll(other);
        if (left.size() != right.size()) {
            throw new IllegalArgumentException("has " + name + " and " + other + " not as often");
        }
        return IntStream.range(0, left.size())
                .mapToObj(i -> as.apply(left.get(i), right.get(i)))
                .toList();
    }

    /** Makes sure that everything was taken. */
    void end() {
        if (!fields.isEmpty()) {
            throw new IllegalArgumentException("has facts this program does not know: " + fields.keySet());
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        fields.forEach((name, values) -> values.forEach(
                value -> text.append(name).append('=').append(escaped(value)).append('\n')));
        return text.toString();
    }

    private void add(String name, String value) {
        fields.computeIfAbsent(name, unused -> new ArrayList<>()).add(value);
    }

    private static String escaped(String value) {
        return isPlain(value) ? value : ESCAPED.matcher(value).replaceAll(FieldText::escape);
    }

    private static String escape(MatchResult found) {
        char c = found.group().charAt(0);
        return Matcher.quoteReplacement(c == '\\' ? "\\\\" : String.format("\\u%04x", (int) c));
    }

    private static boolean isPlain(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < 0x20 || c > 0x7e || c == '\\') {
                return false;
            }
        }
        return true;
    }

    private static String unescaped(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        return ESCAPE.matcher(text).replaceAll(found -> {
            if (found.group().length() == 1) {
                throw new IllegalArgumentException("has a broken escape: " + text);
            }
            String code = found.group(2);
            return Matcher.quoteReplacement(
                    code == null ? "\\" : Character.toString((char) Integer.parseInt(code, 16)));
        });
    }
}
