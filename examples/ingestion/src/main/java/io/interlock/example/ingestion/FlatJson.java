package io.interlock.example.ingestion;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads a JSON object as paths and texts: {@code {"error": {"code": "X"}}} is {@code error.code → X}. Nulls are left out. */
final class FlatJson {

    private static final JsonFactory JSON = new JsonFactory();

    private FlatJson() {}

    static Map<String, String> read(String json) throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        try (JsonParser parser = JSON.createParser(json)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token.isScalarValue() && token != JsonToken.VALUE_NULL) {
                    String path = parser.getParsingContext().pathAsPointer().toString();
                    values.put(path.substring(1).replace('/', '.'), parser.getText());
                }
            }
        }
        return values;
    }
}
