package io.interlock.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.config.MessageTemplate;
import io.interlock.config.SqsSettings;
import io.interlock.engine.RunRequest;
import io.interlock.sqs.Queue.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The contents of messages, and how repeated ones are recognised. */
class MessageReaderTest {

    private final MessageReader reader = new MessageReader("acme", "jobs.fifo", SqsSettings.Messages.OWN);

    @Test
    void everyFieldIsUnderstood() {
        RunRequest request = reader.read(message("own", """
            {"job": "scale", "key": "cluster/7", "parameters": {"workers": [1, {"a": null}]}, "priority": 5, "maxWait": "10m",
             "maxRuntime": "1h", "reason": "load", "labels": {"team": "red"}}\
            """));
        assertThat(request.key()).isEqualTo(LockKey.of("acme", "cluster/7"));
        assertThat(request.job().value()).isEqualTo("scale");
        assertThat(request.policy()).contains(ConflictPolicy.QUEUE);
        assertThat(request.priority()).isEqualTo(5);
        assertThat(request.parameters()).isEqualTo("{\"workers\":[1,{\"a\":null}]}");
        assertThat(request.maxWait()).contains(Duration.ofMinutes(10));
        assertThat(request.maxRuntime()).contains(Duration.ofHours(1));
        assertThat(request.reason()).contains("load");
        assertThat(request.labels()).isEqualTo(Map.of("team", "red"));
        assertThat(request.idempotencyKey()).contains("sqs/jobs.fifo/group own");
    }

    @Test
    void theMessageOfThePageIsUnderstood() throws IOException {
        Matcher block = Pattern.compile("(?ms)^<!-- run by: MessageReaderTest -->\n```json\n(.*?)^```$")
                .matcher(Files.readString(Path.of("../../docs/sqs.md")));
        assertThat(block.find()).isTrue();
        RunRequest request = reader.read(message("own", block.group(1)));
        assertThat(request.key()).isEqualTo(LockKey.of("acme", "cluster/prod1"));
        assertThat(request.job().value()).isEqualTo("DESTROY");
        assertThat(request.parameters()).isEqualTo("{\"force\":true}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "hello | not JSON",
                "[] | not a JSON object",
                "{} | names no job",
                "{\"job\": 7} | job is not text",
                "{\"job\": \"a\", \"job\": \"b\"} | Duplicate field",
                "{\"job\": \"a\"} more | not JSON",
                "{\"job\": \"a\"} 7 | something follows",
                "{\"job\": \"a\" | not JSON",
                "{\"job\": \"a\", \"parameters\": []} | parameters is not a JSON object",
                "{\"job\": \"a\", \"priority\": \"high\"} | priority is not a whole number",
                "{\"job\": \"a\", \"priority\": 99999999999} | priority is not a whole number",
                "{\"job\": \"a\", \"maxWait\": \"soon\"} | soon",
                "{\"job\": \"a\", \"labels\": {\"n\": 1}} | labels.n is not text",
                "{\"job\": \"a\", \"onConflict\": \"REPLACE\"} | 'onConflict', which is not one of job",
                "{\"job\": \"a\", \"key\": \"\"} | key",
            })
    void whatIsNotUnderstoodIsNamed(String body, String said) {
        assertThatThrownBy(() -> reader.read(message("own", body)))
                .isInstanceOf(MessageBody.NotUnderstoodException.class)
                .hasMessageContaining(said);
    }

    @Test
    void messagesOfTheirOwnFormAreUnderstoodByTemplates() {
        MessageReader ocpctl = reader("{type}", "cluster/{group#cluster-}", Map.of());
        RunRequest request = ocpctl.read(new Message("id", "cluster-c1", "own", 1, Instant.EPOCH, """
            {"id": "job-7", "cluster_id": "c1", "type": "DESTROY", "force": true, "spec": {"workers": [3, 0.5, null]}}\
            """, "receipt"));
        assertThat(request.key()).isEqualTo(LockKey.of("acme", "cluster/c1"));
        assertThat(request.job().value()).isEqualTo("DESTROY");
        assertThat(request.policy()).contains(ConflictPolicy.QUEUE);
        assertThat(request.parameters())
                .isEqualTo("{\"id\":\"job-7\",\"cluster_id\":\"c1\",\"type\":\"DESTROY\",\"force\":true,"
                        + "\"spec\":{\"workers\":[3,0.5,null]}}");
        assertThat(request.idempotencyKey()).contains("sqs/jobs.fifo/cluster-c1 own");
    }

    @Test
    void theirParametersMayBeChosen() {
        MessageReader chosen = reader(
                "{job.type}",
                "cluster/{cluster.id}",
                Map.of("workers", "{spec.workers}", "name", "no {cluster.id}", "gone", "{gone}"));
        RunRequest request = chosen.read(message(
                "own", "{\"job\": {\"type\": \"scale\"}, \"cluster\": {\"id\": 7}, \"spec\": {\"workers\": 5}}"));
        assertThat(request.key()).isEqualTo(LockKey.of("acme", "cluster/7"));
        assertThat(request.job().value()).isEqualTo("scale");
        assertThat(request.parameters()).isEqualTo("{\"name\":\"no 7\",\"workers\":5}");
    }

    @Test
    void inTheOwnFormOnlyTheKeyMayComeFromATemplate() {
        MessageReader keyed = reader(null, "cluster/{group#gr}", Map.of());
        assertThat(keyed.read(message("own", "{\"job\": \"a\"}")).key()).isEqualTo(LockKey.of("acme", "cluster/oup"));
        assertThat(keyed.read(message("own", "{\"job\": \"a\", \"key\": \"b\"}"))
                        .key())
                .isEqualTo(LockKey.of("acme", "b"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[] | not a JSON object",
                "{\"type\": \"a\"} 7 | something follows",
                "{} | no text or number 'type'",
                "{\"type\": {}} | no text or number 'type'",
                "{\"type\": \"a\"} | its group 'group' does not start with 'cluster-'",
            })
    void whatATemplateDoesNotFindIsNamed(String body, String said) {
        MessageReader ocpctl = reader("{type}", "cluster/{group#cluster-}", Map.of());
        assertThatThrownBy(() -> ocpctl.read(message("own", body)))
                .isInstanceOf(MessageBody.NotUnderstoodException.class)
                .hasMessageContaining(said);
    }

    private static MessageReader reader(@Nullable String job, String key, Map<String, String> parameters) {
        Map<String, MessageTemplate> templates = new HashMap<>();
        parameters.forEach((name, text) -> templates.put(name, MessageTemplate.parse("parameters", text)));
        return new MessageReader(
                "acme",
                "jobs.fifo",
                new SqsSettings.Messages(
                        job == null ? null : MessageTemplate.parse("job", job),
                        MessageTemplate.parse("key", key),
                        templates));
    }

    @Test
    void theSameContentOnAnotherDayIsAnotherMessage() {
        String body = "{\"job\": \"a\"}";
        assertThat(message(Message.digest(body), body).name()).isEqualTo("id");
        assertThat(message("", body).name()).isEqualTo("id");
        assertThat(message("order-17", body).name()).isEqualTo("group order-17");
    }

    /** In a queue of high throughput, a deduplication id counts within its group. */
    @Test
    void theSameDeduplicationIdInAnotherGroupIsAnotherMessage() {
        String body = "{\"job\": \"create\"}";
        assertThat(Stream.of("a", "a/b", "b")
                        .map(group -> new Message("id", group, "b/1", 1, Instant.EPOCH, body, ""))
                        .map(message -> reader.read(message).idempotencyKey().orElseThrow()))
                .doesNotHaveDuplicates();
        assertThat(reader.read(new Message("id", "a/b", "1", 1, Instant.EPOCH, body, ""))
                        .idempotencyKey())
                .isNotEqualTo(reader.read(new Message("id", "a", "b/1", 1, Instant.EPOCH, body, ""))
                        .idempotencyKey());
    }

    private static Message message(String deduplicationId, String body) {
        return new Message("id", "group", deduplicationId, 1, Instant.EPOCH, body, "receipt");
    }
}
