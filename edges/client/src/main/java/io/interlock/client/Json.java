package io.interlock.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.interlock.service.Facts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes JSON. It writes by hand, because a library would cost every start more than these lines. Fields without a value are left
 * out.
 */
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

    /** JSON that a client wrote, to be passed on unchanged; a text if it is no JSON. */
    public static Object foreign(String json) {
        return Reader.foreign(json);
    }

    /** The object that {@code json} is, from its first to its last character; empty if it is none. */
    public static Optional<Facts> object(String json) {
        return Reader.object(json);
    }

    private static void write(StringBuilder text, Object value, @Nullable String indent) {
        if (value instanceof Facts facts) {
            object(text, facts.map(), indent);
        } else if (value instanceof Map<?, ?> map) {
            object(text, map, indent);
        } else if (value instanceof List<?> list) {
            array(text, list, indent);
        } else if (value instanceof Number || value instanceof Boolean || value instanceof Facts.Foreign) {
            text.append(value);
        } else {
            quote(text, value.toString());
        }
    }

    private static void object(StringBuilder text, Map<?, ?> values, @Nullable String indent) {
        String inner = indent == null ? null : indent + INDENT;
        boolean empty = true;
        text.append('{');
        for (Map.Entry<?, ?> entry : values.entrySet()) {
            if (entry.getValue() != null) {
                text.append(empty ? "" : ",");
                newLine(text, inner);
                quote(text, String.valueOf(entry.getKey()));
                text.append(inner == null ? ":" : ": ");
                write(text, entry.getValue(), inner);
                empty = false;
            }
        }
        if (!empty) {
            newLine(text, indent);
        }
        text.append('}');
    }

    private static void array(StringBuilder text, List<?> values, @Nullable String indent) {
        String inner = indent == null ? null : indent + INDENT;
        text.append('[');
        for (int i = 0; i < values.size(); i++) {
            text.append(i == 0 ? "" : ",");
            newLine(text, inner);
            write(text, values.get(i), inner);
        }
        if (!values.isEmpty()) {
            newLine(text, indent);
        }
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

    /** By Jackson, which is loaded only if something is read. What clients wrote, parameters and results, is left as it is. */
    private static final class Reader {

        private static final JsonFactory FACTORY = new JsonFactory();
        private static final Set<String> OF_OTHERS = Set.of("parameters", "result");

        static Object foreign(String json) {
            try (JsonParser parser = FACTORY.createParser(json)) {
                parser.nextToken();
                parser.skipChildren();
                return parser.currentToken() != null && parser.nextToken() == null ? new Facts.Foreign(json) : json;
            } catch (IOException malformed) {
                return json;
            }
        }

        static Optional<Facts> object(String json) {
            try (JsonParser parser = FACTORY.createParser(json)) {
                parser.nextToken();
                Optional<Facts> read = Facts.nested(value(parser, json));
                return parser.nextToken() == null ? read : Optional.empty();
            } catch (IOException malformed) {
                return Optional.empty();
            }
        }

        private static @Nullable Object value(JsonParser parser, String json) throws IOException {
            JsonToken token = parser.currentToken();
            if (token == JsonToken.START_OBJECT) {
                Map<String, Object> values = new LinkedHashMap<>();
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String name = parser.currentName();
                    parser.nextToken();
                    Object value = OF_OTHERS.contains(name) ? foreign(parser, json) : value(parser, json);
                    if (value != null) {
                        values.put(name, value);
                    }
                }
                return values;
            }
            if (token == JsonToken.START_ARRAY) {
                List<Object> values = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    Object value = value(parser, json);
                    if (value != null) {
                        values.add(value);
                    }
                }
                return values;
            }
            return scalar(parser, token);
        }

        private static Facts.Foreign foreign(JsonParser parser, String json) throws IOException {
            int from = (int) parser.currentTokenLocation().getCharOffset();
            parser.skipChildren();
            // The end of a token is known once it was read to its end, which is done lazily for texts.
            parser.finishToken();
            return new Facts.Foreign(
                    json.substring(from, (int) parser.currentLocation().getCharOffset()));
        }

        private static @Nullable Object scalar(JsonParser parser, @Nullable JsonToken token) throws IOException {
            if (token == null || token == JsonToken.VALUE_NULL) {
                return null;
            }
            return switch (token) {
                case VALUE_TRUE -> true;
                case VALUE_FALSE -> false;
                case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getNumberValue();
                default -> parser.getText();
            };
        }
    }
}
