package io.interlock.engine.notify;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.interlock.run.RunError;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** A notification as JSON: {@code {type, timestamp, data}}, under 20 kB. */
final class NotificationJson {

    private static final JsonFactory JSON = new JsonFactory();
    private static final int MAX_TEXT = 1000;

    private NotificationJson() {}

    static String of(Notification notification) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("type", notification.kind().word());
            json.writeStringField("timestamp", notification.at().toString());
            json.writeObjectFieldStart("data");
            json.writeStringField("tenant", notification.key().tenant());
            json.writeStringField("key", notification.key().name());
            subject(json, notification.subject());
            error(json, notification.error());
            json.writeStringField("explanation", cut(notification.explanation()));
            json.writeEndObject();
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private static void subject(JsonGenerator json, Notification.@Nullable Subject subject) throws IOException {
        if (subject == null) {
            return;
        }
        json.writeStringField("runId", subject.run().toString());
        if (subject.job() != null) {
            json.writeStringField("job", subject.job().value());
        }
        if (subject.attempt() > 0) {
            json.writeNumberField("attempt", subject.attempt());
        }
        if (subject.token() != null) {
            json.writeNumberField("token", subject.token().value());
        }
        if (subject.stage() != null) {
            json.writeStringField("stage", subject.stage());
        }
    }

    private static void error(JsonGenerator json, @Nullable RunError error) throws IOException {
        if (error == null) {
            return;
        }
        json.writeObjectFieldStart("error");
        json.writeStringField("code", error.code());
        json.writeStringField("message", cut(error.message()));
        json.writeEndObject();
    }

    private static String cut(String text) {
        return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT - 1) + "…" : text;
    }
}
