package io.interlock.sqs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.interlock.ConflictPolicy;
import io.interlock.DurationText;
import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.config.MessageTemplate;
import io.interlock.config.SqsSettings;
import io.interlock.engine.RunRequest;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads the request of a message:
 * {@code {"job", "key"?, "parameters"?, "priority"?, "maxWait"?, "maxRuntime"?, "reason"?, "labels"?}}, as
 * in REST. The key defaults to the group. For messages in another format, the settings name the fields for job, key
 * and parameters. Immutable.
 */
final class MessageReader {

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final String FIELDS = "job, key, parameters, priority, maxWait, maxRuntime, reason, labels";

    private final String tenant;
    private final String queue;
    private final SqsSettings.Messages messages;

    MessageReader(String tenant, String queue, SqsSettings.Messages messages) {
        this.tenant = tenant;
        this.queue = queue;
        this.messages = messages;
    }

    /**
     * Reads the request.
     *
     * @throws NotUnderstoodException naming what is wrong with the message
     */
    RunRequest read(Message message) {
        if (messages.job() != null) {
            return foreign(message, messages.job());
        }
        Wish wish = new Wish();
        try (JsonParser json = JSON.createParser(message.body())) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new NotUnderstoodException("it is not a JSON object");
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                field(wish, name, value, json);
            }
            if (json.nextToken() != null) {
                throw new NotUnderstoodException("something follows the JSON object");
            }
        } catch (JsonProcessingException malformed) {
            throw new NotUnderstoodException("it is not JSON: " + malformed.getOriginalMessage());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return request(message, wish);
    }

    /** Reads a message in another format. */
    private RunRequest foreign(Message message, MessageTemplate job) {
        MessageBody body = MessageBody.parse(message);
        Wish wish = new Wish();
        wish.job = job.fill(body);
        String parameters = messages.parameters().isEmpty() ? body.json() : body.parameters(messages.parameters());
        wish.and(request -> request.parameters(parameters));
        return request(message, wish, body);
    }

    private RunRequest request(Message message, Wish wish) {
        return request(message, wish, new MessageBody(message, Map.of()));
    }

    private RunRequest request(Message message, Wish wish, MessageBody body) {
        if (wish.job == null) {
            throw new NotUnderstoodException("it names no job");
        }
        String named = wish.key;
        String key = named != null
                ? named
                : messages.keyTemplate().map(template -> template.fill(body)).orElse(message.group());
        try {
            // QUEUE keeps the runs of a group in the order of its messages.
            RunRequest request = RunRequest.of(LockKey.of(tenant, key), wish.job)
                    .onConflict(ConflictPolicy.QUEUE)
                    .idempotencyKey("sqs/" + queue + "/" + message.name())
                    .submitter("sqs/" + queue)
                    .correlation(message.id());
            return wish.rest.apply(request);
        } catch (InterlockException invalid) {
            throw new NotUnderstoodException(String.valueOf(invalid.getMessage()));
        }
    }

    private static void field(Wish wish, String name, JsonToken value, JsonParser json) throws IOException {
        switch (name) {
            case "job" -> wish.job = text(name, value, json);
            case "key" -> wish.key = text(name, value, json);
            case "parameters" -> {
                String parameters = object(name, value, json);
                wish.and(request -> request.parameters(parameters));
            }
            case "priority" -> {
                if (value != JsonToken.VALUE_NUMBER_INT) {
                    throw new NotUnderstoodException("priority is not a whole number");
                }
                int priority = json.getIntValue();
                wish.and(request -> request.priority(priority));
            }
            case "maxWait" -> {
                String time = text(name, value, json);
                wish.and(request -> request.maxWait(DurationText.parse(name, time)));
            }
            case "maxRuntime" -> {
                String time = text(name, value, json);
                wish.and(request -> request.maxRuntime(DurationText.parse(name, time)));
            }
            case "reason" -> {
                String reason = text(name, value, json);
                wish.and(request -> request.reason(reason));
            }
            case "labels" -> {
                Map<String, String> labels = labels(value, json);
                wish.and(request -> request.labels(labels));
            }
            default -> throw new NotUnderstoodException("it has a field '" + name + "', which is not one of " + FIELDS);
        }
    }

    private static String text(String name, JsonToken value, JsonParser json) throws IOException {
        if (value != JsonToken.VALUE_STRING) {
            throw new NotUnderstoodException(name + " is not text");
        }
        return json.getText();
    }

    private static String object(String name, JsonToken value, JsonParser json) throws IOException {
        if (value != JsonToken.START_OBJECT) {
            throw new NotUnderstoodException(name + " is not a JSON object");
        }
        StringWriter text = new StringWriter();
        try (JsonGenerator copy = JSON.createGenerator(text)) {
            copy.copyCurrentStructure(json);
        }
        return text.toString();
    }

    private static Map<String, String> labels(JsonToken value, JsonParser json) throws IOException {
        if (value != JsonToken.START_OBJECT) {
            throw new NotUnderstoodException("labels is not a JSON object");
        }
        Map<String, String> labels = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            labels.put(name, text("labels." + name, json.nextToken(), json));
        }
        return labels;
    }

    /** The fields read so far. */
    private static final class Wish {

        private @Nullable String job;
        private @Nullable String key;
        private UnaryOperator<RunRequest> rest = request -> request;

        void and(UnaryOperator<RunRequest> further) {
            UnaryOperator<RunRequest> before = rest;
            rest = request -> further.apply(before.apply(request));
        }
    }
}
