package io.interlock.cli.backend;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.interlock.cli.text.Facts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads JSON as facts. */
final class JsonReader {

    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonReader() {}

    /** Whatever {@code json} says; the text itself if it is no JSON. */
    static @Nullable Object read(String json) {
        try (JsonParser parser = FACTORY.createParser(json)) {
            parser.nextToken();
            return value(parser);
        } catch (IOException malformed) {
            return json;
        }
    }

    /** The object that {@code json} is; nothing if it is none. */
    static Facts object(String json) {
        return read(json) instanceof Facts facts ? facts : Facts.NONE;
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_OBJECT) {
            Map<String, Object> values = new LinkedHashMap<>();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                Object value = value(parser);
                if (value != null) {
                    values.put(name, value);
                }
            }
            return new Facts(values);
        }
        if (token == JsonToken.START_ARRAY) {
            List<Object> values = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                Object value = value(parser);
                if (value != null) {
                    values.add(value);
                }
            }
            return values;
        }
        return scalar(parser, token);
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
