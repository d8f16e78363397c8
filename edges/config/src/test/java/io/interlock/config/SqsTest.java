package io.interlock.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings of SQS queues. */
class SqsTest {

    private static final String QUEUE = "https://sqs.eu-central-1.amazonaws.com/123456789012/ocpctl-jobs.fifo";

    @TempDir
    Path folder;

    private Written written = new Written(Path.of(""));

    @BeforeEach
    void prepare() {
        written = new Written(folder);
    }

    @Test
    void whatIsLeftOutIsAsTheSeedHasIt() {
        SqsSettings sqs =
                settings("- { queue: \"" + QUEUE + "\" }").settings().sqs().get(0);
        assertThat(sqs)
                .isEqualTo(new SqsSettings(
                        URI.create(QUEUE),
                        "default",
                        new SqsSettings.Place("eu-central-1", null),
                        2,
                        new SqsSettings.Times(
                                Duration.ofSeconds(20),
                                Duration.ofMinutes(10),
                                Duration.ofSeconds(30),
                                Duration.ofMinutes(1)),
                        SqsSettings.Messages.OWN));
    }

    @Test
    void everythingCanBeSaid() {
        SqsSettings sqs = settings("""
                - { queue: "http://localhost:9324/000000000000/jobs.fifo", tenant: acme, region: elasticmq,
                    endpoint: "http://localhost:9324", receivers: 5, wait: 1s, visibility: 2m, retry-after: 1m, watch-every: 5s }
                """).settings().sqs().get(0);
        assertThat(sqs.tenant()).isEqualTo("acme");
        assertThat(sqs.place()).isEqualTo(new SqsSettings.Place("elasticmq", URI.create("http://localhost:9324")));
        assertThat(sqs.receivers()).isEqualTo(5);
        assertThat(sqs.times())
                .isEqualTo(new SqsSettings.Times(
                        Duration.ofSeconds(1), Duration.ofMinutes(2), Duration.ofMinutes(1), Duration.ofSeconds(5)));
    }

    @Test
    void messagesOfTheirOwnFormAreDescribed() {
        SqsSettings sqs = settings("""
                - { queue: "%s", job: "{type}", key: "cluster/{group#cluster-}", parameters: { workers: "{spec.workers}" } }
                """.formatted(QUEUE)).settings().sqs().get(0);
        assertThat(sqs.messages())
                .isEqualTo(new SqsSettings.Messages(
                        MessageTemplate.parse("job", "{type}"),
                        MessageTemplate.parse("key", "cluster/{group#cluster-}"),
                        Map.of("workers", MessageTemplate.parse("parameters", "{spec.workers}"))));
        assertThat(written.mistakes("interlock:\n  sqs:\n    - { queue: \"" + QUEUE
                        + "\", key: \"cluster/{group\", parameters: { a: \"{b}\" } }\n"))
                .hasMessageContaining("sqs[0].key")
                .hasMessageContaining("has an unmatched brace")
                .hasMessageContaining("sqs[0].parameters is only for messages in another format");
    }

    @Test
    void allMistakesAreToldWithTheirLimits() {
        ConfigurationException refused = written.mistakes(yaml("""
                - { queue: "%s", wait: 21s, visibility: 13h, receivers: 0, tenant: "a b" }
                - { queue: "%s", retry-after: 9m }
                - { queue: "https://sqs.eu-central-1.amazonaws.com/1/standard" }
                - { tenant: acme, endpoint: nowhere }
                """.formatted(QUEUE, QUEUE)));
        assertThat(refused)
                .hasMessageContaining("sqs[0].wait '21s' must be from 1s to 20s")
                .hasMessageContaining("sqs[0].visibility '13h' must be from 1m to 12h")
                .hasMessageContaining("sqs[0].receivers")
                .hasMessageContaining("sqs[0].tenant")
                .hasMessageContaining("sqs[1].queue is set twice")
                .hasMessageContaining("sqs[1].retry-after '9m' must be from 1s to 5m")
                .hasMessageContaining("sqs[2].queue '/1/standard' is not a FIFO queue")
                .hasMessageContaining("sqs[3].queue is missing")
                .hasMessageContaining("sqs[3].endpoint 'nowhere' is not a URL");
    }

    @Test
    void anIntakeThatIsNotThereIsToldWithTheNextStep() {
        Configuration configuration = settings("- { queue: \"" + QUEUE + "\" }");
        ConfigurationException refused = catchThrowableOfType(
                ConfigurationException.class, () -> Intakes.of(configuration).close());
        assertThat(refused)
                .hasMessageContaining("sqs[0].queue needs the SQS intake")
                .hasMessageContaining("INTERLOCK_CLASSPATH");
        Intakes.of(settings("[]")).close();
    }

    private Configuration settings(String queues) {
        return written.read(yaml(queues));
    }

    private static String yaml(String queues) {
        return "interlock:\n  store: \"memory:\"\n  sqs:\n" + queues.indent(4);
    }
}
