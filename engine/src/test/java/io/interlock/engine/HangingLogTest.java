package io.interlock.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.interlock.LockKey;
import io.interlock.engine.EngineEvent.EngineListener;
import io.interlock.run.RunSpec.Execution;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** A log that is not read, so that a thread that writes to it waits. */
@Timeout(60)
class HangingLogTest {

    private static final List<String> HANGING = List.of(
            "is lost", "is too slow", "renewal of", "audit-seal failed", "stands at witness", "ended without a word");

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.interlock");
    private final CountDownLatch mayGo = new CountDownLatch(1);
    private final Full full = new Full();

    @BeforeEach
    void write() {
        full.start();
        logger.addAppender(full);
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void writeNoMore() {
        mayGo.countDown();
        logger.detachAppender(full);
        logger.setLevel(null);
    }

    @Test
    void allWorkIsToldThatItsLeaseIsLostThoughNobodyCanWriteItDown() {
        FaultyStore faults = new FaultyStore(new MemoryStore(Environment.system()));
        try (RunEngine engine = RunEngine.builder(faults.store())
                .drainTime(Duration.ZERO)
                .withoutBooks()
                .build()) {
            CallerRun first = begun(engine, "first");
            CallerRun second = begun(engine, "second");
            faults.down("heartbeat");
            try {
                await().until(() ->
                        first.stopping().isPresent() && second.stopping().isPresent());
            } finally {
                mayGo.countDown();
            }
            first.close();
            second.close();
        }
    }

    @Test
    void heartbeatsGoOnThoughTheLogHangsWithTheFailureBefore() {
        FaultyStore faults = new FaultyStore(new MemoryStore(Environment.system()));
        try (RunEngine engine = RunEngine.builder(faults.store())
                        .drainTime(Duration.ZERO)
                        .withoutBooks()
                        .build();
                CallerRun work = begun(engine, "ledger")) {
            faults.down("heartbeat");
            await().until(() -> full.held.contains("renewal of"));
            faults.up();
            int before = faults.calls("heartbeat");
            try {
                await().until(() -> faults.calls("heartbeat") > before + 2);
                assertThat(work.stopping()).isEmpty();
            } finally {
                mayGo.countDown();
            }
        }
    }

    @Test
    void nobodyIsHeldUpByAListenerThatIsTooSlowThoughNobodyCanWriteThatDown() throws Exception {
        EngineListener hanging = event -> full.hang("listener");
        try (RunEngine engine = RunEngine.builder(new MemoryStore(Environment.system()))
                .listener(hanging)
                .withoutBooks()
                .build()) {
            CallerRun work = begun(engine, "ledger");
            CompletableFuture<Void> refused = CompletableFuture.runAsync(() -> {
                while (engine.missedEvents() < 2) {
                    engine.submit(RunRequest.of(work.key(), "by-hand").execution(Execution.CALLER));
                }
            });
            try {
                refused.get(20, TimeUnit.SECONDS);
            } finally {
                mayGo.countDown();
            }
            work.close();
        }
    }

    @Test
    void theAuditLogIsSealedThoughTheLogHangs() throws Exception {
        FaultyStore faults = new FaultyStore(new MemoryStore(Environment.system()));
        CountDownLatch told = new CountDownLatch(1);
        try (RunEngine engine = RunEngine.builder(faults.store())
                .drainTime(Duration.ZERO)
                .sweepEvery(Duration.ofMillis(200))
                .listener(event -> {
                    if (event instanceof EngineEvent.EndedByRule) {
                        told.countDown();
                    }
                })
                .build()) {
            try (CallerRun lost = begun(engine, "lost")) {
                faults.down("heartbeat", "seal");
                await().until(() -> !full.held.isEmpty() && lost.stopping().isPresent() && faults.calls("seal") > 1);
                faults.up();
                assertThat(told.await(30, TimeUnit.SECONDS))
                        .as("an end by a rule is told of")
                        .isTrue();
                long before = faults.store().audit().head().position();
                try (CallerRun after = begun(engine, "after")) {
                    await().until(() -> faults.store().audit().head().position() > before);
                    assertThat(after.stopping()).isEmpty();
                }
            } finally {
                mayGo.countDown();
            }
        }
    }

    private static CallerRun begun(RunEngine engine, String key) {
        Submission answer = engine.submit(RunRequest.of(LockKey.of("acme", key), "by-hand")
                .execution(Execution.CALLER)
                .lease(Duration.ofSeconds(2)));
        return requireNonNull(((Submission.Started) answer).work());
    }

    private final class Full extends AppenderBase<ILoggingEvent> {
        private final Set<String> held = ConcurrentHashMap.newKeySet();

        @Override
        protected void append(ILoggingEvent event) {
            HANGING.stream().filter(event.getFormattedMessage()::contains).forEach(this::hang);
        }

        void hang(String line) {
            held.add(line);
            try {
                mayGo.await();
            } catch (InterruptedException told) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
