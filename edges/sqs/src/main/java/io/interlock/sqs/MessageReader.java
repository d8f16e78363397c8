package io.interlock.sqs;

import io.interlock.ConflictPolicy;
import io.interlock.DurationText;
import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.config.MessageTemplate;
import io.interlock.config.SqsSettings;
import io.interlock.engine.RunRequest;
import io.interlock.sqs.Queue.Message;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the request of a message:
 * {@code {"job", "key"?, "parameters"?, "priority"?, "maxWait"?, "maxRuntime"?, "reason"?, "labels"?}}, as
 * in REST. The key defaults to the group. For messages in another format, the settings name the fields for job, key
 * and parameters. Immutable.
 */
final class MessageReader {

    private static final List<String> FIELDS =
            List.of("job", "key", "parameters", "priority", "maxWait", "maxRuntime", "reason", "labels");

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
        MessageBody body = MessageBody.parse(message);
        try {
            return messages.job() == null ? own(message, body) : foreign(message, body, messages.job());
        } catch (MessageBody.NotUnderstoodException known) {
            throw known;
        } catch (InterlockException invalid) {
            throw new MessageBody.NotUnderstoodException(String.valueOf(invalid.getMessage()));
        }
    }

    private RunRequest own(Message message, MessageBody body) {
        Map<String, @Nullable Object> fields = body.fields();
        for (String name : fields.keySet()) {
            if (!FIELDS.contains(name)) {
                throw new MessageBody.NotUnderstoodException(
                        "it has a field '" + name + "', which is not one of " + String.join(", ", FIELDS));
            }
        }
        if (!fields.containsKey("job")) {
            throw new MessageBody.NotUnderstoodException("it names no job");
        }
        RunRequest request = request(message, body, text("job", fields.get("job")));
        for (Map.Entry<String, @Nullable Object> field : fields.entrySet()) {
            request = with(request, field.getKey(), field.getValue());
        }
        return request;
    }

    /** Reads a message in another format. */
    private RunRequest foreign(Message message, MessageBody body, MessageTemplate job) {
        return request(message, body, job.fill(body))
                .parameters(messages.parameters().isEmpty() ? body.json() : body.parameters(messages.parameters()));
    }

    private RunRequest request(Message message, MessageBody body, String job) {
        String key = messages.job() == null && body.fields().containsKey("key")
                ? text("key", body.fields().get("key"))
                : messages.keyTemplate().map(template -> template.fill(body)).orElse(message.group());
        // QUEUE keeps the runs of a group in the order of its messages.
        return RunRequest.of(LockKey.of(tenant, key), job)
                .onConflict(ConflictPolicy.QUEUE)
                .idempotencyKey("sqs/" + queue + "/" + message.name())
                .submitter("sqs/" + queue)
                .correlation(message.id());
    }

    private static RunRequest with(RunRequest request, String name, @Nullable Object value) {
        return switch (name) {
            case "parameters" -> request.parameters(MessageBody.written(object(name, value)));
            case "priority" -> request.priority(wholeNumber(name, value));
            case "maxWait" -> request.maxWait(DurationText.parse(name, text(name, value)));
            case "maxRuntime" -> request.maxRuntime(DurationText.parse(name, text(name, value)));
            case "reason" -> request.reason(text(name, value));
            case "labels" -> {
                Map<String, String> labels = new LinkedHashMap<>();
                object(name, value).forEach((label, of) -> labels.put(label, text("labels." + label, of)));
                yield request.labels(labels);
            }
            default -> request;
        };
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
}
