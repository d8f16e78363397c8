package io.interlock.engine.notify;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.interlock.TimeText;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/**
 * A notification as a message of Slack's incoming webhooks: {@code text} for receivers and notices that show no blocks, and
 * {@code blocks}. Texts of runs can neither become links or mentions nor exceed Slack's limits.
 */
final class SlackMessage {

    private static final JsonFactory JSON = new JsonFactory();

    // Slack refuses a longer text of a block; the rest of a section is its markup.
    private static final int MAX_TEXT = 2900;

    private SlackMessage() {}

    static String of(Notification notification) {
        String title = notification.kind().word().replace('-', ' ');
        String explanation = escaped(notification.explanation());
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("text", title + ": " + explanation);
            json.writeArrayFieldStart("blocks");
            block(json, "section", "*" + title + "*\n" + explanation);
            block(json, "context", escaped(facts(notification)));
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private static void block(JsonGenerator json, String type, String text) throws IOException {
        boolean isList = type.equals("context");
        json.writeStartObject();
        json.writeStringField("type", type);
        if (isList) {
            json.writeArrayFieldStart("elements");
            json.writeStartObject();
        } else {
            json.writeObjectFieldStart("text");
        }
        json.writeStringField("type", "mrkdwn");
        json.writeStringField("text", text);
        // Slack makes no links of what looks like one.
        json.writeBooleanField("verbatim", true);
        json.writeEndObject();
        if (isList) {
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    private static String facts(Notification notification) {
        StringBuilder facts = new StringBuilder(notification.key().toString());
        Notification.Subject subject = notification.subject();
        if (subject != null) {
            facts.append(subject.job() == null ? "" : " · " + subject.job())
                    .append(" · run ")
                    .append(subject.run())
                    .append(subject.attempt() == 0 ? "" : ", attempt " + subject.attempt());
        }
        return facts.append(" · ").append(TimeText.format(notification.at())).toString();
    }

    /** With the three characters escaped that are markup in Slack, on one line, and cut between two characters. */
    private static String escaped(String text) {
        StringBuilder line = new StringBuilder();
        for (int at = 0; at < text.length(); at = text.offsetByCodePoints(at, 1)) {
            int point = text.codePointAt(at);
            String next = switch (point) {
                case '&' -> "&amp;";
                case '<' -> "&lt;";
                case '>' -> "&gt;";
                default -> Character.isISOControl(point) ? " " : Character.toString(point);
            };
            if (line.length() + next.length() > MAX_TEXT) {
                return line.append('…').toString();
            }
            line.append(next);
        }
        return line.toString();
    }
}
