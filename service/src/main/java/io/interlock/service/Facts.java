package io.interlock.service;

import io.interlock.TimeText;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object under the names of the REST API: a run, a lock, an audit record. It holds only values that any JSON library writes: texts,
 * numbers, booleans, maps and lists, in the order in which they were added. Times become RFC 3339 in UTC with milliseconds, durations
 * ISO-8601 to the millisecond.
 *
 * <p>Not safe for use by many threads while fields are added.
 */
public final class Facts {

    private final Map<String, @Nullable Object> fields;

    private Facts(Map<String, @Nullable Object> fields) {
        this.fields = fields;
    }

    /** No fields yet. */
    public static Facts none() {
        return new Facts(new LinkedHashMap<>());
    }

    /** One field; left out if {@code value} is {@code null}. */
    public static Facts with(String name, @Nullable Object value) {
        return none().and(name, value);
    }

    /** The fields of {@code map}, which it keeps. */
    public static Facts of(Map<String, @Nullable Object> map) {
        return new Facts(map);
    }

    /** Adds or replaces a field; leaves it out if {@code value} is {@code null}. */
    public Facts and(String name, @Nullable Object value) {
        return value == null ? this : orNull(name, value);
    }

    /** Adds a field about {@code subject}, if there is one. */
    public <T> Facts and(String name, @Nullable T subject, Function<T, @Nullable Object> field) {
        return subject == null ? this : and(name, field.apply(subject));
    }

    /** Adds or replaces a field that is there even if its value is {@code null}. */
    public Facts orNull(String name, @Nullable Object value) {
        fields.put(name, plain(value));
        return this;
    }

    /** Adds all fields of {@code others}. */
    public Facts merge(Facts others) {
        fields.putAll(others.fields);
        return this;
    }

    private static @Nullable Object plain(@Nullable Object value) {
        if (value instanceof Instant time) {
            return TimeText.format(time);
        }
        if (value instanceof Duration duration) {
            return Duration.ofMillis(duration.toMillis()).toString();
        }
        if (value instanceof Facts facts) {
            return facts.fields;
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Facts::plain).toList();
        }
        return value == null
                        || value instanceof Number
                        || value instanceof Boolean
                        || value instanceof Map
                        || value instanceof Foreign
                ? value
                : value.toString();
    }

    /** All fields by name, in their order. Nested objects are maps. */
    public Map<String, @Nullable Object> map() {
        return fields;
    }

    /** Any value as text. */
    public Optional<String> text(String name) {
        return Optional.ofNullable(fields.get(name)).map(Object::toString);
    }

    /** Any value as text; empty if it is missing. */
    public String shown(String name) {
        return text(name).orElse("");
    }

    public OptionalLong number(String name) {
        return fields.get(name) instanceof Number number ? OptionalLong.of(number.longValue()) : OptionalLong.empty();
    }

    /** Whether the field is there and true. */
    public boolean is(String name) {
        return Boolean.TRUE.equals(fields.get(name));
    }

    public Optional<Instant> time(String name) {
        return text(name).map(Instant::parse);
    }

    public Optional<Duration> duration(String name) {
        return text(name).map(Duration::parse);
    }

    /** A nested object; empty if it is missing. */
    public Facts in(String name) {
        return nested(fields.get(name)).orElseGet(() -> new Facts(Collections.emptyMap()));
    }

    /** The objects of a list; empty if it is missing. */
    public List<Facts> list(String name) {
        return fields.get(name) instanceof List<?> list
                ? list.stream().map(Facts::nested).flatMap(Optional::stream).toList()
                : List.of();
    }

    /** {@code value} as an object, if it is one. */
    @SuppressWarnings("unchecked") // the keys of a JSON object are texts
    public static Optional<Facts> nested(@Nullable Object value) {
        return value instanceof Map<?, ?> map
                ? Optional.of(new Facts((Map<String, @Nullable Object>) map))
                : Optional.empty();
    }

    public boolean isEmpty() {
        return fields.isEmpty();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Facts facts && facts.fields.equals(fields);
    }

    @Override
    public int hashCode() {
        return fields.hashCode();
    }

    @Override
    public String toString() {
        return fields.toString();
    }

    /**
     * JSON that clients wrote, such as parameters and results: passed on unchanged, to the last digit and {@code null}.
     *
     * @param text the JSON
     */
    public record Foreign(String text) {

        @Override
        public String toString() {
            return text;
        }
    }
}
