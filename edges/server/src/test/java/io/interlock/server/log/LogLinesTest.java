package io.interlock.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.interlock.InvalidSettingException;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

/** Lines of the log, whatever clients put into them. */
class LogLinesTest {

    private static final List<String> FORGED = List.of(
            "/x\" status=\"200\" apiKey=\"boots",
            "a\n2026-11-15T00:00:00.000Z INFO  [x] forged",
            "a\r\nb",
            "\u001b[2Jcleared",
            "\u009b2J",
            "next\u0085line",
            "line\u2028separator",
            "\u202Eright to left",
            "back\\slash");

    @Test
    void aFieldCannotBeForgedInText() {
        for (String forged : FORGED) {
            String line =
                    line("text", "answered", null, new KeyValuePair("path", forged), new KeyValuePair("status", 404));
            assertThat(line).endsWith("\" status=\"404\"\n");
            assertThat(line.chars().filter(Character::isISOControl)).as(line).containsExactly((int) '\n');
            assertThat(line).doesNotContain("\u2028", "\u202e");
            String quoted = line.substring(line.indexOf("path=") + 5, line.indexOf(" status=\"404\""));
            assertThat(new JsonObject("{\"path\":" + quoted + "}").getString("path"))
                    .isEqualTo(forged);
        }
    }

    @Test
    void aMessageStaysOnItsLine() {
        for (String forged : FORGED) {
            assertThat(line("text", forged, null).chars().filter(Character::isISOControl))
                    .containsExactly((int) '\n');
        }
    }

    @Test
    void aLineOfJsonIsOneObjectWithItsFields() {
        for (String forged : FORGED) {
            String line = line(
                    "json",
                    forged,
                    new IllegalStateException(forged),
                    new KeyValuePair("path", forged),
                    new KeyValuePair("status", 404));
            assertThat(line.indexOf('\n')).isEqualTo(line.length() - 1);
            JsonObject json = new JsonObject(line);
            assertThat(json.getString("message")).isEqualTo(forged);
            assertThat(json.getString("path")).isEqualTo(forged);
            assertThat(json.getInteger("status")).isEqualTo(404);
            assertThat(json.getString("level")).isEqualTo("WARN");
            assertThat(json.getString("logger")).isEqualTo("io.interlock.access");
            assertThat(json.getString("time")).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
            assertThat(json.getString("stackTrace")).contains("IllegalStateException", "LogLinesTest");
        }
    }

    @Test
    void aStackTraceIsInTextToo() {
        assertThat(line("text", "failed", new IllegalStateException("why")))
                .contains("IllegalStateException: why", "\tat io.interlock.server.log.LogLinesTest");
    }

    @Test
    void anUnknownFormatIsRefusedWithThoseThereAre() {
        assertThatThrownBy(() -> LogLines.requireFormat(Map.of(LogLines.VARIABLE, "xml")))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("xml")
                .hasMessageContaining("text, json");
        LogLines.requireFormat(Map.of(LogLines.VARIABLE, "json"));
        LogLines.requireFormat(Map.of());
    }

    private static String line(String format, String message, @Nullable Throwable failure, KeyValuePair... pairs) {
        LoggerContext context = new LoggerContext();
        LoggingEvent event =
                new LoggingEvent("test", context.getLogger("io.interlock.access"), Level.WARN, message, failure, null);
        for (KeyValuePair pair : pairs) {
            event.addKeyValuePair(pair);
        }
        LogLines lines = new LogLines();
        lines.setContext(context);
        lines.setFormat(format);
        lines.start();
        return new String(lines.encode(event), StandardCharsets.UTF_8);
    }
}
