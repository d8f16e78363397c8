package io.interlock.cli.backend;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.RawJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads JSON as facts; what belongs to others, parameters and results, is left as it is. */
final class JsonReader {

    private static final JsonFactory FACTORY = new JsonFactory();
    private static final Set<String> OF_OTHERS = Set.of("parameters", "result");

    private JsonReader() {}

    /** {@code json}, to be passed on; as a text if it is no JSON. */
    static Object raw(String json) {
        try (JsonParser parser = FACTORY.createParser(json)) {
            parser.nextToken();
            parser.skipChildren();
            return parser.currentToken() != null && parser.nextToken() == null ? new RawJson(json) : json;
        } catch (IOException malformed) {
            return json;
        }
    }

    /** The object that {@code json} is, from its first to its last character; empty if it is none. */
    static Optional<Facts> object(String json) {
        try (JsonParser parser = FACTORY.createParser(json)) {
            parser.nextToken();
            return value(parser, json) instanceof Facts facts && parser.nextToken() == null
                    ? Optional.of(facts)
                    : Optional.empty();
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
                Object value = OF_OTHERS.contains(name) ? raw(parser, json) : value(parser, json);
                if (value != null) {
                    values.put(name, value);
                }
            }
            return new Facts(values);
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

    private static RawJson raw(JsonParser parser, String json) throws IOException {
        int from = (int) parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        // The end of a token is known once it was read to its end, which is done lazily for texts.
        parser.finishToken();
        return new RawJson(json.substring(from, (int) parser.currentLocation().getCharOffset()));
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
