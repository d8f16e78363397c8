package io.interlock.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.interlock.Holder;
import io.interlock.LockKey;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.audit.EndingsByRule;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(30)
class OperationLogTest {

    private static final LockKey KEY = LockKey.of("acme", "ledger/2026");

    private final List<ILoggingEvent> lines = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event);
        }
    };
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.interlock.operations");

    @BeforeEach
    void listen() {
        appender.start();
        logger.addAppender(appender);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(appender);
    }

    @Test
    void everyStepOfARunIsALineWithTenantKeyRunAndToken() {
        try (RunEngine engine = RunEngine.builder(new MemoryStore(Environment.system()))
                .jobs(Jobs.of(Job.named("close").handler(run -> null).build()))
                .listener(new OperationLog())
                .build()) {
            Run run = engine.submit(RunRequest.of(KEY, "close").parameters("{\"password\":\"T0pS3cret\"}"))
                    .orElseThrow();
            await().until(() -> line("attempt ended").isPresent());
            assertThat(facts("submitted"))
                    .containsEntry("tenant", "acme")
                    .containsEntry("key", "ledger/2026")
                    .containsEntry("run", run.id().toString())
                    .containsEntry("job", "close");
            assertThat(facts("started")).containsKeys("token", "attempt", "holder");
            assertThat(facts("attempt ended"))
                    .containsEntry("state", "SUCCEEDED")
                    .containsEntry("token", facts("started").get("token"))
                    .hasEntrySatisfying(
                            "held", held -> assertThat(Duration.parse(held)).isGreaterThanOrEqualTo(Duration.ZERO));
            assertThat(lines.toString()).doesNotContain("T0pS3cret");
        }
    }

    @Test
    void aLostWorkerIsALineAlsoIfANewcomerFindsOutBeforeTheJanitor() {
        Logger sealer = (Logger) LoggerFactory.getLogger(EndingsByRule.class);
        sealer.addAppender(appender);
        try (RunEngine engine = RunEngine.builder(new MemoryStore(Environment.system()))
                .jobs(Jobs.of(Job.named("close").lease(Duration.ofSeconds(2)).build()))
                .sweepEvery(Duration.ofHours(1))
                .listener(new OperationLog())
                .build()) {
            Run lost = engine.submit(RunRequest.of(KEY, "close")).orElseThrow();
            engine.remote()
                    .claim(
                            new RemoteWork.Claim(
                                    UUID.randomUUID(),
                                    new Holder("gone", "worker-3"),
                                    KEY.tenant(),
                                    Set.of(new JobName("close")),
                                    1),
                            Duration.ZERO)
                    .toCompletableFuture()
                    .join();
            await().until(() -> engine.submit(RunRequest.of(KEY, "close")).isAccepted());
            await().until(() ->
                    line("an attempt ended without a word of its worker").isPresent());
            assertThat(line("settled by the janitor")).isEmpty();
            assertThat(line("an attempt ended without a word of its worker")
                            .orElseThrow()
                            .getLevel())
                    .isEqualTo(Level.WARN);
            assertThat(facts("an attempt ended without a word of its worker"))
                    .containsEntry("tenant", "acme")
                    .containsEntry("key", "ledger/2026")
                    .containsEntry("run", lost.id().toString())
                    .containsEntry("state", "FAILED")
                    .containsEntry("why", "its lease ended before its work did")
                    .containsEntry("job", "close")
                    .containsEntry("lease", "2s")
                    .containsEntry("limit", "none")
                    .containsKeys("token", "held");
        } finally {
            sealer.detachAppender(appender);
        }
    }

    @Test
    void workThatTookTooLongIsAWarningWithItsTimeAndItsLimit() {
        try (RunEngine engine = RunEngine.builder(new MemoryStore(Environment.system()))
                .jobs(Jobs.of(Job.named("close")
                        .lease(Duration.ofSeconds(2))
                        .maxRuntime(Duration.ofSeconds(2))
                        .handler(run -> {
                            // Until it is told to stop.
                            Thread.currentThread().join();
                            return null;
                        })
                        .build()))
                .listener(new OperationLog())
                .build()) {
            engine.submit(RunRequest.of(KEY, "close"));
            await().until(() -> line("attempt ended").isPresent());
            assertThat(line("attempt ended").orElseThrow().getLevel()).isEqualTo(Level.WARN);
            assertThat(facts("attempt ended"))
                    .containsEntry("state", "TIMED_OUT")
                    .containsEntry("limit", "PT2S")
                    .containsKey("held");
        }
    }

    @Test
    void aRefusalSaysWhy() {
        try (RunEngine engine = RunEngine.builder(new MemoryStore(Environment.system()))
                .jobs(Jobs.of(Job.named("close").build()))
                .listener(new OperationLog())
                .build()) {
            engine.pause("acme", "ledger/*", "ann", "month end", null);
            engine.submit(RunRequest.of(KEY, "close"));
            await().until(() -> line("refused").isPresent());
            assertThat(facts("paused")).containsEntry("actor", "ann").containsEntry("why", "month end");
            assertThat(facts("refused").get("why")).contains("paused by ann");
        }
    }

    private Optional<ILoggingEvent> line(String message) {
        return lines.stream().filter(line -> line.getMessage().equals(message)).findFirst();
    }

    private Map<String, String> facts(String message) {
        return line(message).orElseThrow().getKeyValuePairs().stream()
                .collect(Collectors.toMap(pair -> pair.key, pair -> String.valueOf(pair.value)));
    }
}
