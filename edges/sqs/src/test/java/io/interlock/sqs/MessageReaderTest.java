package io.interlock.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.engine.RunRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What messages say, and by what they are known again. */
class MessageReaderTest {

    private final MessageReader reader = new MessageReader("acme", "jobs.fifo");

    @Test
    void everyFieldIsUnderstood() {
        RunRequest request = reader.read(message("own", """
                {"job": "scale", "key": "cluster/7", "parameters": {"workers": [1, {"a": null}]}, "priority": 5, "maxWait": "10m",
                 "maxRuntime": "1h", "reason": "load", "labels": {"team": "red"}}"""));
        assertThat(request.key()).isEqualTo(LockKey.of("acme", "cluster/7"));
        assertThat(request.job().value()).isEqualTo("scale");
        assertThat(request.policy()).contains(ConflictPolicy.QUEUE);
        assertThat(request.priority()).isEqualTo(5);
        assertThat(request.parameters()).isEqualTo("{\"workers\":[1,{\"a\":null}]}");
        assertThat(request.maxWait()).contains(Duration.ofMinutes(10));
        assertThat(request.maxRuntime()).contains(Duration.ofHours(1));
        assertThat(request.reason()).contains("load");
        assertThat(request.labels()).isEqualTo(Map.of("team", "red"));
        assertThat(request.idempotencyKey()).contains("sqs/jobs.fifo/own");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "hello | no JSON",
                "[] | no JSON object",
                "{} | names no job",
                "{\"job\": 7} | job is no text",
                "{\"job\": \"a\", \"job\": \"b\"} | Duplicate field",
                "{\"job\": \"a\"} more | no JSON",
                "{\"job\": \"a\"} 7 | something follows",
                "{\"job\": \"a\" | no JSON",
                "{\"job\": \"a\", \"parameters\": []} | parameters is no JSON object",
                "{\"job\": \"a\", \"priority\": \"high\"} | priority is no whole number",
                "{\"job\": \"a\", \"priority\": 99999999999} | no JSON",
                "{\"job\": \"a\", \"maxWait\": \"soon\"} | soon",
                "{\"job\": \"a\", \"labels\": {\"n\": 1}} | labels.n is no text",
                "{\"job\": \"a\", \"onConflict\": \"REPLACE\"} | 'onConflict', which is none of job",
                "{\"job\": \"a\", \"key\": \"\"} | key",
            })
    void whatIsNotUnderstoodIsNamed(String body, String said) {
        assertThatThrownBy(() -> reader.read(message("own", body)))
                .isInstanceOf(NotUnderstoodException.class)
                .hasMessageContaining(said);
    }

    @Test
    void theSameContentOnAnotherDayIsAnotherMessage() {
        String body = "{\"job\": \"a\"}";
        assertThat(message(Message.digest(body), body).name()).isEqualTo("id");
        assertThat(message("", body).name()).isEqualTo("id");
        assertThat(message("order-17", body).name()).isEqualTo("order-17");
    }

    private static Message message(String deduplicationId, String body) {
        return new Message("id", "group", deduplicationId, 1, Instant.EPOCH, body, "receipt");
    }
}
