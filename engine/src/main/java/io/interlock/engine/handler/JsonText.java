package io.interlock.engine.handler;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.function.BiConsumer;

/** Looks into JSON text without building anything from it. */
final class JsonText {

    /** Shared: a factory is safe for use by many threads. Bounds depth and lengths by its defaults. */
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private JsonText() {}

    /** Whether {@code text} is one JSON value and nothing else. */
    static boolean isValid(String text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() == null) {
                return false;
            }
            parser.skipChildren();
            return parser.nextToken() == null;
        } catch (IOException broken) {
            return false;
        }
    }

    /**
     * Names {@code sink} each top-level member that is a text, a number or a truth value, in order and as often as it is there.
     * Text that is no JSON object has none.
     */
    static void scalars(String text, BiConsumer<String, String> sink) {
        if (!isValid(text)) {
            return;
        }
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return;
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                if (value.isScalarValue() && value != JsonToken.VALUE_NULL) {
                    sink.accept(name, parser.getText());
                }
                parser.skipChildren();
            }
        } catch (IOException broken) {
            throw new IllegalStateException("it was valid before", broken);
        }
    }
}
