package io.interlock.sqs;

import io.interlock.ConflictPolicy;
import io.interlock.DurationText;
import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.config.MessageTemplate;
import io.interlock.config.SqsSettings;
import io.interlock.engine.RunRequest;
import java.math.BigInteger;
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
     * @throws MessageBody.NotUnderstoodException naming what is wrong with the message
     */
    RunRequest read(Message message) {
        if (messages.job() != null) {
            return foreign(message, messages.job());
        }
        MessageBody body = MessageBody.parse(message);
        Wish wish = new Wish();
        body.fields().forEach((name, value) -> field(wish, name, value));
        return request(message, wish, body);
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

    private RunRequest request(Message message, Wish wish, MessageBody body) {
        if (wish.job == null) {
            throw new MessageBody.NotUnderstoodException("it names no job");
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
            throw new MessageBody.NotUnderstoodException(String.valueOf(invalid.getMessage()));
        }
    }

    private static void field(Wish wish, String name, @Nullable Object value) {
        switch (name) {
            case "job" -> wish.job = text(name, value);
            case "key" -> wish.key = text(name, value);
            case "parameters" -> {
                String parameters = MessageBody.written(object(name, value));
                wish.and(request -> request.parameters(parameters));
            }
            case "priority" -> {
                int priority = wholeNumber(name, value);
                wish.and(request -> request.priority(priority));
            }
            case "maxWait" -> {
                String time = text(name, value);
                wish.and(request -> request.maxWait(DurationText.parse(name, time)));
            }
            case "maxRuntime" -> {
                String time = text(name, value);
                wish.and(request -> request.maxRuntime(DurationText.parse(name, time)));
            }
            case "reason" -> {
                String reason = text(name, value);
                wish.and(request -> request.reason(reason));
            }
            case "labels" -> {
                Map<String, String> labels = new LinkedHashMap<>();
                object(name, value).forEach((label, of) -> labels.put(label, text("labels." + label, of)));
                wish.and(request -> request.labels(labels));
            }
            default ->
                throw new MessageBody.NotUnderstoodException(
                        "it has a field '" + name + "', which is not one of " + FIELDS);
        }
    }

    private static String text(String name, @Nullable Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw new MessageBody.NotUnderstoodException(name + " is not text");
    }

    private static int wholeNumber(String name, @Nullable Object value) {
        if (value instanceof BigInteger number && number.bitLength() < Integer.SIZE) {
            return number.intValue();
        }
        throw new MessageBody.NotUnderstoodException(name + " is not a whole number");
    }

    @SuppressWarnings("unchecked") // a parsed object has texts as keys
    private static Map<String, @Nullable Object> object(String name, @Nullable Object value) {
        if (value instanceof Map<?, ?> object) {
            return (Map<String, @Nullable Object>) object;
        }
        throw new MessageBody.NotUnderstoodException(name + " is not a JSON object");
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
