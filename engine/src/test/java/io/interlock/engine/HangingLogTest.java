package io.interlock.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.interlock.LockKey;
import io.interlock.run.Execution;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** A log that nobody reads, so that whoever writes to it waits. */
@Timeout(60)
class HangingLogTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.interlock.engine");
    private final CountDownLatch mayGo = new CountDownLatch(1);
    private final Full full = new Full();

    @BeforeEach
    void write() {
        full.start();
        logger.addAppender(full);
    }

    @AfterEach
    void writeNoMore() {
        mayGo.countDown();
        logger.detachAppender(full);
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
            await().until(() -> full.hangs);
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
        EngineListener hanging = event -> full.hang();
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

    private static CallerRun begun(RunEngine engine, String key) {
        Submission answer = engine.submit(RunRequest.of(LockKey.of("acme", key), "by-hand")
                .execution(Execution.CALLER)
                .lease(Duration.ofSeconds(2)));
        return requireNonNull(((Submission.Started) answer).work());
    }

    private final class Full extends AppenderBase<ILoggingEvent> {
        private volatile boolean hangs;

        @Override
        protected void append(ILoggingEvent event) {
            String line = event.getFormattedMessage();
            if (line.contains("is lost") || line.contains("is too slow") || line.contains("heartbeat of run")) {
                hang();
            }
        }

        void hang() {
            hangs = true;
            try {
                mayGo.await();
            } catch (InterruptedException told) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
