package io.interlock.cli.text;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes facts as JSON. By hand, since a library would cost every start more than these lines. */
public final class Json {

    private static final String INDENT = "  ";

    private Json() {}

    /** In one line, for streams of messages. */
    public static String line(Object value) {
        StringBuilder text = new StringBuilder();
        write(text, value, null);
        return text.toString();
    }

    /** Over several lines, for people and for {@code jq}. */
    public static String pretty(Object value) {
        StringBuilder text = new StringBuilder();
        write(text, value, "");
        return text.toString();
    }

    private static void write(StringBuilder text, Object value, @Nullable String indent) {
        if (value instanceof Facts facts) {
            object(text, facts.values(), indent);
        } else if (value instanceof List<?> list) {
            array(text, list, indent);
        } else if (value instanceof Number || value instanceof Boolean || value instanceof RawJson) {
            text.append(value);
        } else {
            quote(text, value.toString());
        }
    }

    private static void object(StringBuilder text, Map<String, Object> values, @Nullable String indent) {
        Iterator<Map.Entry<String, Object>> entries = values.entrySet().iterator();
        if (!entries.hasNext()) {
            text.append("{}");
            return;
        }
        String inner = indent == null ? null : indent + INDENT;
        text.append('{');
        while (entries.hasNext()) {
            Map.Entry<String, Object> entry = entries.next();
            newLine(text, inner);
            quote(text, entry.getKey());
            text.append(inner == null ? ":" : ": ");
            write(text, entry.getValue(), inner);
            text.append(entries.hasNext() ? "," : "");
        }
        newLine(text, indent);
        text.append('}');
    }

    private static void array(StringBuilder text, List<?> values, @Nullable String indent) {
        Iterator<?> entries = values.iterator();
        if (!entries.hasNext()) {
            text.append("[]");
            return;
        }
        String inner = indent == null ? null : indent + INDENT;
        text.append('[');
        while (entries.hasNext()) {
            newLine(text, inner);
            write(text, entries.next(), inner);
            text.append(entries.hasNext() ? "," : "");
        }
        newLine(text, indent);
        text.append(']');
    }

    private static void newLine(StringBuilder text, @Nullable String indent) {
        if (indent != null) {
            text.append('\n').append(indent);
        }
    }

    private static void quote(StringBuilder text, String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                    if (c < ' ' || c == '\u007f') {
                        text.append("\\u00").append(c < 16 ? "0" : "").append(Integer.toHexString(c));
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        text.append('"');
    }
}
