package io.interlock.store.document;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The fields of a stored document. As text they are {@code name=value&…}, percent-encoded, for databases that know no
 * fields.
 *
 * @param values numbers, instants and text by name
 */
public record Fields(Map<String, Object> values) {

    /** Reads {@link #text()}. */
    public static Fields parse(String text) {
        Map<String, Object> values = new TreeMap<>();
        for (String pair : text.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals < 0) {
                throw new IllegalStateException("not a document of Interlock: " + text);
            }
            values.put(
                    pair.substring(0, equals), URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
        }
        return new Fields(values);
    }

    /** All fields as one line. */
    public String text() {
        return values.entrySet().stream()
                .map(field -> field.getKey() + "="
                        + URLEncoder.encode(String.valueOf(field.getValue()), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    String text(String name) {
        return String.valueOf(value(name));
    }

    long number(String name) {
        return Long.parseLong(text(name));
    }

    Instant time(String name) {
        return value(name) instanceof Instant time ? time : Instant.parse(text(name));
    }

    private Object value(String name) {
        Object value = values.get(name);
        if (value == null) {
            throw new IllegalStateException("a stored document has no field " + name + ": " + values.keySet());
        }
        return value;
    }
}
