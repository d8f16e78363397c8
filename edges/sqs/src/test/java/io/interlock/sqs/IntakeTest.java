package io.interlock.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.config.MessageTemplate;
import io.interlock.config.SqsSettings;
import io.interlock.run.Run;
import io.interlock.sqs.LocalSqs.Pair;
import io.interlock.sqs.Queue.Message;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** From a queue to runs: each message once, messages of a group in order, none lost. */
@Timeout(60)
class IntakeTest {

    private static final LocalSqs sqs = LocalSqs.shared();

    @TempDir
    Path folder;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private Pair queues;

    @BeforeEach
    void prepare() {
        queues = sqs.queues();
        log.start();
        ((Logger) LoggerFactory.getLogger("io.interlock.sqs")).addAppender(log);
    }

    @Test
    void messagesOfAGroupRunInOrderUnderTheKeyOfTheirGroup() {
        try (Rig rig = rig()) {
            for (int i = 0; i < 5; i++) {
                for (String group : List.of("cluster/a", "cluster/b", "cluster/c")) {
                    queues.send(group, group + i, note(i));
                }
            }
            await().until(() -> rig.recorder.done.size() == 15);
            assertThat(List.of("cluster/a", "cluster/b", "cluster/c"))
                    .allSatisfy(group -> assertThat(rig.recorder.of(group)).containsExactlyElementsOf(numbers(5)));
            await().until(() -> queues.size() == 0);
            Run run = rig.runs().get(0);
            assertThat(run.spec().origin().submitter()).startsWith("sqs/jobs-");
            assertThat(run.spec().labels()).containsEntry("from", "test");
        }
    }

    @Test
    void aMessageMayNameAKeyOfItsOwn() {
        try (Rig rig = rig()) {
            queues.send("cluster-prod1", "{\"job\": \"note\", \"key\": \"cluster/prod1\"}");
            await().until(() -> rig.recorder.of("cluster/prod1").size() == 1);
        }
    }

    @Test
    void messagesAsTheirSendersAlwaysWroteThemRunUnderTheKeyOfTheirCluster() {
        SqsSettings plain = sqs.settings(queues.url());
        SqsSettings ocpctl = new SqsSettings(
                plain.queue(),
                plain.tenant(),
                plain.place(),
                plain.receivers(),
                plain.times(),
                new SqsSettings.Messages(
                        MessageTemplate.parse("job", "{type}"),
                        MessageTemplate.parse("key", "cluster/{group#cluster-}"),
                        Map.of()));
        try (Rig rig = new Rig("memory:", ocpctl)) {
            queues.send("cluster-prod1", "{\"id\": \"job-1\", \"cluster_id\": \"prod1\", \"type\": \"CHECK\"}");
            await().until(() -> rig.recorder.of("cluster/prod1").size() == 1 && queues.size() == 0);
            assertThat(rig.recorder.of("cluster/prod1"))
                    .containsExactly("{\"id\":\"job-1\",\"cluster_id\":\"prod1\",\"type\":\"CHECK\"}");
            assertThat(queues.dead()).isZero();
        }
    }

    @Test
    void aDuplicateOfTheContentIsOneRun() {
        try (Rig rig = rig()) {
            String first = queues.send("a", note(1));
            assertThat(queues.send("a", note(1))).isEqualTo(first);
            queues.send("a", note(2));
            await().until(() -> rig.recorder.done.size() == 2 && queues.size() == 0);
            assertThat(rig.recorder.of("a")).containsExactlyElementsOf(List.of(number(1), number(2)));
        }
    }

    @Test
    void aDeduplicationIdThatASenderChoseCountsForLongerThanSqsKnowsIt() {
        try (Rig rig = rig()) {
            queues.send("a", "order-17", note(1));
            await().until(() -> rig.recorder.done.size() == 1 && queues.size() == 0);
            // SQS remembers the deduplication id for five minutes; after that it is a new message.
            MessageReader reader =
                    new MessageReader("acme", Queue.name(URI.create(queues.url())), SqsSettings.Messages.OWN);
            Message late = new Message("another", "a", "order-17", 1, Instant.EPOCH, note(1), "receipt");
            assertThat(rig.engine.submit(reader.read(late)).orElseThrow().id())
                    .isEqualTo(rig.runs().get(0).id());
        }
    }

    @Test
    void aPoisonMessageIsToldOnceAndBecomesADeadLetterAndItsGroupGoesOn() {
        try (Rig rig = rig()) {
            queues.send("a", "{\"job\": \"note\", \"colour\": \"red\"}");
            queues.send("a", note(1));
            await().until(() -> rig.recorder.of("a").size() == 1);
            await().until(() -> queues.dead() == 1 && queues.size() == 0);
            await().until(() -> rig.gauge("interlock.sqs.dead.letters") == 1);
            assertThat(warnings("is invalid")).singleElement().asString().contains("'colour'", "receives");
            assertThat(warnings("dead letters, 1 more"))
                    .singleElement()
                    .asString()
                    .contains("-dlq.fifo");
            assertThat(rig.runs()).hasSize(1);
        }
    }

    @Test
    void aJobNobodyKnowsAndAResourceInTheWrongStateAreRefusedAndBecomeDeadLetters() {
        try (Rig rig = rig()) {
            rig.engine.setResource(LockKey.of("acme", "c"), "cluster", "CREATING", 0, "test", "test");
            queues.send("a", "{\"job\": \"explode\"}");
            queues.send("c", "{\"job\": \"destroy\"}");
            await().until(() -> queues.dead() == 2 && queues.size() == 0);
            assertThat(warnings("is refused")).hasSize(2);
            assertThat(warnings("'explode' is unknown")).hasSize(1);
            assertThat(warnings("CREATING")).hasSize(1);
            assertThat(rig.runs()).isEmpty();
        }
    }

    @Test
    void aFullLineKeepsMessagesInTheQueueAndCostsThemNoReceive() {
        try (Rig rig = rig()) {
            for (int i = 0; i < 4; i++) {
                queues.send("a", "{\"job\": \"wait\", \"parameters\": {\"n\": " + i + "}}");
            }
            await().until(() -> rig.gauge("interlock.sqs.held") == 1);
            await().until(() -> rig.gauge("interlock.sqs.oldest.age.seconds") > 0.3);
            // After five retries it is still the same message, and others are not blocked.
            queues.send("b", note(7));
            await().until(() -> rig.recorder.of("b").size() == 1);
            assertThat(queues.size()).isEqualTo(2);
            assertThat(rig.runs()).hasSize(3);
            rig.gate.countDown();
            await().until(() -> rig.recorder.of("a").size() == 4);
            assertThat(rig.recorder.of("a")).containsExactlyElementsOf(numbers(4));
            await().until(() -> queues.size() == 0);
            assertThat(queues.dead()).isZero();
            assertThat(rig.gauge("interlock.sqs.held")).isZero();
        }
    }

    @Test
    void twoIntakesAtOnceDoubleNothingAndKeepTheOrder() {
        Recorder both = new Recorder();
        String store = "sqlite:" + folder.resolve("two.db");
        try (Rig one = new Rig(store, sqs.settings(queues.url()), both);
                Rig other = new Rig(store, sqs.settings(queues.url()), both)) {
            for (int i = 0; i < 10; i++) {
                for (int group = 0; group < 4; group++) {
                    queues.send("g" + group, group + "/" + i, note(i));
                }
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> queues.size() == 0 && both.done.size() >= 40);
            assertThat(both.done).hasSize(40);
            for (int group = 0; group < 4; group++) {
                assertThat(both.of("g" + group)).containsExactlyElementsOf(numbers(10));
            }
            await().until(() -> one.runs().stream().allMatch(run -> run.state() == RunState.SUCCEEDED));
            assertThat(one.runs()).hasSize(40);
            assertThat(other.runs()).hasSize(40);
        }
    }

    @Test
    void anIntakeThatEndsGivesBackWhatItHolds() {
        SqsSettings.Times slow = new SqsSettings.Times(
                Duration.ofSeconds(1), Duration.ofMinutes(10), Duration.ofSeconds(30), Duration.ofMinutes(1));
        try (Rig rig = new Rig("memory:", sqs.settings(queues.url(), slow))) {
            for (int i = 0; i < 3; i++) {
                queues.send("a", "{\"job\": \"wait\", \"parameters\": {\"n\": " + i + "}}");
            }
            await().until(() -> rig.gauge("interlock.sqs.held") == 1);
        }
        // It would be hidden for ten minutes, but becomes visible soon.
        try (Rig rig = new Rig("memory:", sqs.settings(queues.url(), slow))) {
            rig.gate.countDown();
            await().until(() -> rig.recorder.of("a").size() == 1);
            assertThat(rig.recorder.of("a")).containsExactly(number(2));
        }
    }

    @Test
    @Timeout(10)
    void anIntakeThatEndsBreaksOffItsWait() {
        try (Rig rig = rig()) {
            queues.send("a", note(1));
            await().until(() -> rig.recorder.done.size() == 1);
        }
    }

    @Test
    void aQueueThatIsNotFitIsToldAndNothingIsTakenFromIt() {
        String plain = sqs.create("no-redrive-" + folder.getFileName() + ".fifo", Map.of());
        Pair unfit = new Pair(sqs.client, plain, plain);
        unfit.send("a", note(1));
        try (Rig rig = new Rig("memory:", sqs.settings(plain))) {
            await().until(() -> !warnings("has no redrive policy").isEmpty());
            assertThat(rig.gauge("interlock.sqs.up")).isZero();
            assertThat(rig.runs()).isEmpty();
            assertThat(unfit.size()).isEqualTo(1);
        }
    }

    private Rig rig() {
        return new Rig("memory:", sqs.settings(queues.url()));
    }

    private List<String> warnings(String part) {
        return new ArrayList<>(log.list)
                .stream()
                        .filter(event -> event.getLevel() == Level.WARN)
                        .map(ILoggingEvent::getFormattedMessage)
                        .filter(text -> text.contains(part))
                        .toList();
    }

    private static String note(int n) {
        return "{\"job\": \"note\", \"parameters\": " + number(n) + ", \"labels\": {\"from\": \"test\"}}";
    }

    private static String number(int n) {
        return "{\"n\":" + n + "}";
    }

    private static List<String> numbers(int many) {
        return IntStream.range(0, many).mapToObj(IntakeTest::number).toList();
    }
}
