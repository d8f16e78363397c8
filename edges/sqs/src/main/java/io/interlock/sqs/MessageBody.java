package io.interlock.sqs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.interlock.InterlockException;
import io.interlock.config.MessageTemplate;
import io.interlock.sqs.Queue.Message;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The body of a message.
 *
 * @param fields its fields: maps, lists, strings, numbers, booleans and {@code null}
 */
record MessageBody(Message message, Map<String, @Nullable Object> fields) implements MessageTemplate.Source {

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /**
     * Parses the body.
     *
     * @throws NotUnderstoodException if it is not a JSON object
     */
    static MessageBody parse(Message message) {
        try (JsonParser json = JSON.createParser(message.body())) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new NotUnderstoodException("it is not a JSON object");
            }
            MessageBody body = new MessageBody(message, object(json));
            if (json.nextToken() != null) {
                throw new NotUnderstoodException("something follows the JSON object");
            }
            return body;
        } catch (JsonProcessingException malformed) {
            throw new NotUnderstoodException("it is not JSON: " + malformed.getOriginalMessage());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    @Override
    public String groupWithout(String beginning) {
        if (!message.group().startsWith(beginning)) {
            throw new NotUnderstoodException(
                    "its group '" + message.group() + "' does not start with '" + beginning + "'");
        }
        return message.group().substring(beginning.length());
    }

    @Override
    public String field(String path) {
        Object value = at(path);
        if (!(value instanceof String) && !(value instanceof Number)) {
            throw new NotUnderstoodException("it has no text or number '" + path + "'");
        }
        return String.valueOf(value);
    }

    /** The whole body as JSON. */
    String json() {
        return written(fields);
    }

    /**
     * These parameters as JSON. A parameter that is exactly one field keeps the type of the field; a missing one is
     * omitted.
     */
    String parameters(Map<String, MessageTemplate> templates) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        new TreeMap<>(templates).forEach((name, template) -> {
            String sole = template.soleField().orElse(null);
            if (sole == null) {
                values.put(name, template.fill(this));
            } else if (at(sole) != null) {
                values.put(name, at(sole));
            }
        });
        return written(values);
    }

    private @Nullable Object at(String path) {
        Object value = fields;
        for (String name : path.split("\\.", -1)) {
            value = value instanceof Map<?, ?> object ? object.get(name) : null;
        }
        return value;
    }

    private static Map<String, @Nullable Object> object(JsonParser json) throws IOException {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            fields.put(name, value(json));
        }
        return fields;
    }

    private static @Nullable Object value(JsonParser json) throws IOException {
        return switch (json.currentToken()) {
            case START_OBJECT -> object(json);
            case START_ARRAY -> {
                List<@Nullable Object> items = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    items.add(value(json));
                }
                yield items;
            }
            case VALUE_STRING -> json.getText();
            case VALUE_NUMBER_INT -> json.getBigIntegerValue();
            case VALUE_NUMBER_FLOAT -> json.getDecimalValue();
            case VALUE_NULL -> null;
            default -> json.getBooleanValue();
        };
    }

    /** These fields as JSON. */
    static String written(Map<String, @Nullable Object> fields) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            write(json, fields);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value instanceof Map<?, ?> object) {
            json.writeStartObject();
            for (Map.Entry<?, ?> field : object.entrySet()) {
                json.writeFieldName(String.valueOf(field.getKey()));
                write(json, field.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof List<?> items) {
            json.writeStartArray();
            for (Object item : items) {
                write(json, item);
            }
            json.writeEndArray();
        } else {
            json.writeObject(value);
        }
    }

    /** A message is invalid. */
    static final class NotUnderstoodException extends InterlockException {

        private static final long serialVersionUID = 1L;

        NotUnderstoodException(String message) {
            super(message);
        }
    }
}
