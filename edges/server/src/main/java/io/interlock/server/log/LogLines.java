package io.interlock.server.log;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import io.interlock.InvalidSettingException;
import io.interlock.service.PlainText;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.event.KeyValuePair;

/**
 * Writes each event as one line: as text for people, or as JSON for programs. Whatever a client put into a message or a field is escaped
 * in both; only stack traces of text take further lines. Used by one appender, which calls it from one thread at a time.
 */
public final class LogLines extends EncoderBase<ILoggingEvent> {

    /** The variable that chooses the format. */
    public static final String VARIABLE = "INTERLOCK_LOG_FORMAT";

    private static final List<String> FORMATS = List.of("text", "json");
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSX").withZone(ZoneOffset.UTC);

    private static final int LEVEL_WIDTH = 5;

    private final ThrowableProxyConverter traces = new ThrowableProxyConverter();
    private boolean json;

    /** Chooses the format, {@code text} or {@code json}; for the configuration of Logback. */
    public void setFormat(String format) {
        json = format.equals("json");
    }

    /**
     * Refuses a format that there is not.
     *
     * @throws InvalidSettingException naming those there are
     */
    public static void requireFormat(Map<String, String> variables) {
        String format = variables.getOrDefault(VARIABLE, "text");
        if (!format.isEmpty() && !FORMATS.contains(format)) {
            throw new InvalidSettingException(
                    VARIABLE, format, "is no format of the log", "write one of " + String.join(", ", FORMATS));
        }
    }

    @Override
    public void start() {
        traces.start();
        super.start();
    }

    @Override
    public byte[] headerBytes() {
        return new byte[0];
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        return (json ? json(event) : text(event)).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] footerBytes() {
        return new byte[0];
    }

    private String text(ILoggingEvent event) {
        String level = event.getLevel().toString();
        StringBuilder line = new StringBuilder(TIME.format(at(event)))
                .append(' ')
                .append(level)
                .append(" ".repeat(LEVEL_WIDTH - level.length()))
                .append(" [")
                .append(event.getThreadName())
                .append("] ")
                .append(event.getLoggerName())
                .append(' ')
                .append(PlainText.oneLine(String.valueOf(event.getFormattedMessage())));
        for (KeyValuePair pair : pairs(event)) {
            line.append(' ').append(pair.key).append('=').append(quoted(String.valueOf(pair.value)));
        }
        line.append('\n');
        return event.getThrowableProxy() == null
                ? line.toString()
                : line.append(traces.convert(event)).toString();
    }

    private String json(ILoggingEvent event) {
        StringBuilder line = new StringBuilder("{");
        field(line, "time", TIME.format(at(event)));
        field(line, "level", event.getLevel().toString());
        field(line, "thread", event.getThreadName());
        field(line, "logger", event.getLoggerName());
        field(line, "message", String.valueOf(event.getFormattedMessage()));
        for (KeyValuePair pair : pairs(event)) {
            field(line, pair.key, pair.value);
        }
        if (event.getThrowableProxy() != null) {
            field(line, "stackTrace", traces.convert(event));
        }
        return line.append("}\n").toString();
    }

    private static void field(StringBuilder line, String name, Object value) {
        line.append(line.length() == 1 ? "" : ",")
                .append(quoted(name))
                .append(':')
                .append(
                        value instanceof Integer || value instanceof Long || value instanceof Boolean
                                ? value.toString()
                                : quoted(String.valueOf(value)));
    }

    private static Instant at(ILoggingEvent event) {
        return Instant.ofEpochMilli(event.getTimeStamp());
    }

    private static List<KeyValuePair> pairs(ILoggingEvent event) {
        return Objects.requireNonNullElse(event.getKeyValuePairs(), List.of());
    }

    /** {@code text} between quotes, with quotes and backslashes in it escaped as in JSON. */
    private static String quoted(String text) {
        return '"' + PlainText.oneLine(text.replace("\\", "\\\\").replace("\"", "\\\"")) + '"';
    }
}
