package io.interlock.cli.text;

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
 * What is known of something, under the names the REST interface uses: a run, a lock, a dead letter. Whoever answers, a store or
 * a server, the tables and {@code --json} are made from the same facts; what a newer server adds is passed on as it came.
 * Immutable.
 *
 * @param values by name, in the order in which they are shown: texts, numbers, truth values, facts, JSON of others, and lists of these
 */
public record Facts(Map<String, Object> values) {

    /** Nothing. */
    public static final Facts NONE = new Facts(Map.of());

    /** Copies the values. */
    public Facts {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** Begins to collect. */
    public static Builder with(String name, @Nullable Object value) {
        return new Builder().and(name, value);
    }

    /** A text, or anything else as text. */
    public Optional<String> text(String name) {
        return Optional.ofNullable(values.get(name)).map(Object::toString);
    }

    /** A text that may be missing: then empty. */
    public String shown(String name) {
        return text(name).orElse("");
    }

    /** A number. */
    public OptionalLong number(String name) {
        return values.get(name) instanceof Number number ? OptionalLong.of(number.longValue()) : OptionalLong.empty();
    }

    /** Whether it is said to be so. */
    public boolean is(String name) {
        return Boolean.TRUE.equals(values.get(name));
    }

    /** A time. */
    public Optional<Instant> time(String name) {
        return text(name).map(Instant::parse);
    }

    /** A duration. */
    public Optional<Duration> duration(String name) {
        return text(name).map(Duration::parse);
    }

    /** Facts within. */
    public Facts in(String name) {
        return values.get(name) instanceof Facts facts ? facts : NONE;
    }

    /** A list of facts within. */
    public List<Facts> list(String name) {
        return values.get(name) instanceof List<?> list
                ? list.stream()
                        .filter(Facts.class::isInstance)
                        .map(Facts.class::cast)
                        .toList()
                : List.of();
    }

    /** Whether nothing is known. */
    public boolean isEmpty() {
        return values.isEmpty();
    }

    /** These, and all of {@code others}. */
    public Facts merged(Facts others) {
        Map<String, Object> all = new LinkedHashMap<>(values);
        all.putAll(others.values);
        return new Facts(all);
    }

    /** These, and another. */
    public Facts and(String name, @Nullable Object value) {
        return new Builder(values).and(name, value).done();
    }

    /** Collects facts. Not safe for use by many threads. */
    public static final class Builder {

        private final Map<String, Object> values;

        private Builder() {
            values = new LinkedHashMap<>();
        }

        private Builder(Map<String, Object> before) {
            values = new LinkedHashMap<>(before);
        }

        /** And another; nothing if it is not known. Times and durations become texts as in REST. */
        public Builder and(String name, @Nullable Object value) {
            if (value instanceof Instant time) {
                values.put(name, Times.rfc3339(time));
            } else if (value instanceof Number
                    || value instanceof Boolean
                    || value instanceof Facts
                    || value instanceof RawJson
                    || value instanceof List) {
                values.put(name, value);
            } else if (value != null) {
                values.put(name, value.toString());
            }
            return this;
        }

        /** And something about {@code subject}, if there is one. */
        public <T> Builder and(String name, @Nullable T subject, Function<T, @Nullable Object> fact) {
            return subject == null ? this : and(name, fact.apply(subject));
        }

        /** All of it. */
        public Facts done() {
            return new Facts(values);
        }
    }
}
