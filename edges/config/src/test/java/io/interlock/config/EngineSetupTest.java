package io.interlock.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.config.Given.Flag;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.OpenStore;
import io.interlock.engine.OutsideProbe;
import io.interlock.engine.RunContext;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunHandler;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.audit.AuditFinding;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditVerifier;
import io.interlock.run.Run;
import io.interlock.time.Environment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An engine set up by a configuration. */
class EngineSetupTest {

    private static final Environment ENVIRONMENT = Environment.system();

    @TempDir
    Path folder;

    private Written written = new Written(Path.of(""));

    @BeforeEach
    void prepare() {
        written = new Written(folder);
    }

    /** A handler class named in a configuration. */
    public static final class Greeting implements RunHandler {

        public Greeting() {}

        @Override
        public @Nullable String run(RunContext context) {
            return "\"hello\"";
        }
    }

    /** A handler whose constructor fails. */
    public static final class Broken implements RunHandler {

        public Broken() {
            throw new IllegalStateException("no licence");
        }

        @Override
        public @Nullable String run(RunContext context) {
            return null;
        }
    }

    @Test
    void configuredJobsAreDoneByCommandAndByClass() throws InterruptedException {
        Configuration all = written.read("""
                interlock:
                  store: "memory:"
                  jobs:
                    command:
                      run: { command: [sh, -c, 'echo "::interlock result={\\"in\\":\\"$PWD\\"}"'], directory: / }
                    java: { run: { java: %s } }
                    picky: { run: { command: [sh, -c, exit 64] }, retry: { attempts: 3, permanent-exit-codes: [64] } }
                    remote: { run: { worker: remote } }
                """.formatted(Greeting.class.getName()));
        try (OpenStore store = OpenStore.at(all.settings().store(), ENVIRONMENT);
                EngineSetup setup = EngineSetup.of(all, ENVIRONMENT);
                RunEngine engine = setup.onto(store.engine()).build()) {
            assertThat(ended(engine, "command").status().result()).contains("{\"in\":\"/\"}");
            assertThat(ended(engine, "java").status().result()).contains("\"hello\"");
            assertThat(ended(engine, "picky").state()).isEqualTo(RunState.FAILED);
            assertThat(engine.submit(RunRequest.of(LockKey.of("acme", "remote"), "remote")))
                    .isInstanceOf(Submission.Started.class);
        }
    }

    @Test
    void workBeginsWhenTheOutsideSaysThatNothingOfItGoesOn() throws Exception {
        Path gone = folder.resolve("gone");
        Configuration all = written.read("""
                interlock:
                  store: "memory:"
                  jobs:
                    export: { run: { command: ["true"] }, probe: { command: [test, -e, "%s"], every: 50ms } }
                """.formatted(gone));
        Semaphore asking = new Semaphore(0);
        try (OpenStore store = OpenStore.at(all.settings().store(), ENVIRONMENT);
                EngineSetup setup = EngineSetup.of(all, ENVIRONMENT);
                RunEngine engine = setup.onto(store.engine())
                        .listener(event -> {
                            if (event instanceof EngineEvent.StageEntered entered
                                    && entered.stage().equals(OutsideProbe.STAGE)) {
                                asking.release();
                            }
                        })
                        .build()) {
            LockKey key = LockKey.of("acme", "export");
            RunId run =
                    engine.submit(RunRequest.of(key, "export")).orElseThrow().id();
            assertThat(asking.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
            assertThat(engine.submit(RunRequest.of(key, "export")))
                    .as("the key stays held during the probe")
                    .isInstanceOf(Submission.Rejected.class);
            Files.createFile(gone);
            assertThat(engine.awaitEnd(run, Duration.ofSeconds(20))
                            .orElseThrow()
                            .state())
                    .isEqualTo(RunState.SUCCEEDED);

            Files.delete(gone);
            RunId stopped =
                    engine.submit(RunRequest.of(key, "export")).orElseThrow().id();
            assertThat(asking.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
            engine.cancel(stopped, "ann", "enough");
            assertThat(engine.awaitEnd(stopped, Duration.ofSeconds(20))
                            .orElseThrow()
                            .state())
                    .isEqualTo(RunState.ABORTED);
        }
    }

    @Test
    void aProcessWithoutAWorkerDoesNothingItself() throws InterruptedException {
        Configuration all = written.read(
                "interlock:\n  jobs:\n    a: { run: { java: " + Greeting.class.getName() + " } }\n",
                Map.of(),
                Flag.of("store", "memory:"),
                new Flag("--no-worker", "worker.enabled", "false"));
        try (OpenStore store = OpenStore.at(all.settings().store(), ENVIRONMENT);
                EngineSetup setup = EngineSetup.of(all, ENVIRONMENT);
                RunEngine engine = setup.onto(store.engine()).build()) {
            assertThat(engine.workers().slots()).isZero();
            Submission started = engine.submit(RunRequest.of(LockKey.of("acme", "a"), "a"));
            assertThat(started.orElseThrow().state()).isEqualTo(RunState.PENDING);
        }
    }

    @Test
    void whatCannotBeMadeIsToldAllAtOnce() {
        Configuration all = written.read("""
                interlock:
                  jobs:
                    gone: { run: { java: com.example.Gone } }
                    text: { run: { java: java.lang.String } }
                    bare: { run: { java: java.lang.Integer } }
                    broken: { run: { java: %s } }
                    call: { run: { http: { url: "https://example.org/", secret-file: /does/not/exist } } }
                  notify:
                    - { on: [overdue], url: "https://example.org/", secret: canary }
                """.formatted(Broken.class.getName()));
        assertThatThrownBy(() -> EngineSetup.of(all, ENVIRONMENT).close())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("has 6 mistakes")
                .hasMessageContaining(
                        "interlock.yaml:3: jobs.gone.run.java java 'com.example.Gone' is not on the class path")
                .hasMessageContaining("'java.lang.String' does not implement io.interlock.engine.RunHandler")
                .hasMessageContaining("'java.lang.Integer' has no public constructor without parameters")
                .hasMessageContaining("failed in its constructor: java.lang.IllegalStateException: no licence")
                .hasMessageContaining("secret-file '/does/not/exist' cannot be read")
                .hasMessageContaining("interlock.yaml:9: notify[0]")
                .hasMessageNotContaining("canary");
    }

    @Test
    void theAuditLogIsSignedWithTheConfiguredKey() throws Exception {
        Path file = folder.resolve("audit.key");
        Configuration all = written.read("""
                interlock:
                  store: "memory:"
                  audit: { key-file: "%s" }
                """.formatted(file));
        Files.writeString(file, "too short\n");
        assertThatThrownBy(() -> EngineSetup.of(all, ENVIRONMENT).close())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("audit.key-file '9 characters' must hold at least 32");

        String secret = "0123456789abcdef0123456789abcdef";
        Files.writeString(file, secret + "\n");
        Configuration again = written.read("""
                interlock:
                  store: "memory:"
                  audit: { key-file: "%s" }
                """.formatted(file));
        try (OpenStore store = OpenStore.at(again.settings().store(), ENVIRONMENT);
                EngineSetup setup = EngineSetup.of(again, ENVIRONMENT);
                RunEngine engine = setup.onto(store.engine()).build()) {
            assertThat(engine.queries().verifyAudit(List.of()).findings()).isEmpty();
            assertThat(found(engine, secret)).isEmpty();
            assertThat(found(engine, "another" + secret)).containsExactly(AuditFinding.wrongSignature(0, 0));
        }
    }

    private static List<AuditFinding> found(RunEngine engine, String secret) {
        return engine.queries()
                .verifyAudit(new AuditVerifier.Outside(List.of(), AuditKey.of(secret), null))
                .findings();
    }

    @Test
    void requestsGoToTheHostsThatJobsName() {
        Configuration all = written.read("""
                interlock:
                  private-networks: [127.0.0.0/8]
                  jobs:
                    call: { run: { http: { url: "http://127.0.0.1:1/", timeout: 1s } } }
                """);
        try (EngineSetup setup = EngineSetup.of(all, ENVIRONMENT)) {
            assertThat(setup.jobs().all())
                    .singleElement()
                    .satisfies(job -> assertThat(job.work()).isPresent());
        }
    }

    private static Run ended(RunEngine engine, String job) throws InterruptedException {
        Submission answer = engine.submit(RunRequest.of(LockKey.of("acme", job), job));
        return engine.awaitEnd(answer.orElseThrow().id(), Duration.ofSeconds(30))
                .orElseThrow();
    }
}
