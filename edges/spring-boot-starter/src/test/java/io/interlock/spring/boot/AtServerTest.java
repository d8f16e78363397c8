package io.interlock.spring.boot;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.client.InterlockClient;
import io.interlock.locks.Lease;
import io.interlock.locks.Locks;
import io.interlock.service.Facts;
import io.interlock.spring.CurrentLease;
import io.interlock.spring.ExclusiveRun;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application whose locks are those of a server, which is a process of its own. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AtServerTest {

    private static final LockKey KEY = LockKey.of("nightly");

    @TempDir
    static Path folder;

    private static Process server;
    private static String url;
    private static String apiKey;

    @BeforeAll
    static void start() throws IOException {
        Path out = folder.resolve("server.out");
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        "io.interlock.server.Main",
                        "server",
                        "--port",
                        "0",
                        "--store",
                        "memory:")
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("INTERLOCK_"));
        builder.environment().put("XDG_DATA_HOME", folder.toString());
        server = builder.start();
        await().atMost(Duration.ofSeconds(90))
                .until(() -> Files.readString(out).contains("Ready") || !server.isAlive());
        url = said(out, "API +(http://\\S+:\\d+)/api/v1/");
        apiKey = said(out, "API key +(ilk_\\S+)");
    }

    private static String said(Path out, String pattern) throws IOException {
        Matcher found = Pattern.compile(pattern).matcher(Files.readString(out));
        assertThat(found.find()).as(Files.readString(out)).isTrue();
        return found.group(1);
    }

    @AfterAll
    static void stop() {
        server.destroyForcibly().onExit().join();
    }

    @Test
    void exclusiveMethodsTakeTheirKeysFromTheServer() {
        application().withBean(MeterRegistry.class, SimpleMeterRegistry::new).run(context -> {
            assertThat(context).hasNotFailed();
            Job job = context.getBean(Job.class);
            assertThat(job.run()).isEqualTo("ran");
            try (InterlockClient other = InterlockClient.connect(url, apiKey);
                    Lease lease = other.locks().tryAcquire(KEY).orElseThrow()) {
                assertThat(lease.isHeld()).isTrue();
                assertThat(job.run()).as("held by another client of the server").isNull();
                assertThat(context.getBean(Locks.class).find(KEY)).isPresent();
            }
            assertThat(job.run()).isEqualTo("ran");
            assertThat(context.getBean(MeterRegistry.class)
                            .get("interlock.lease.acquisitions")
                            .tag("outcome", "granted")
                            .counter()
                            .count())
                    .isEqualTo(2);
            assertThat(requireNonNull(context.getBean(HealthIndicator.class).health())
                            .getStatus())
                    .isEqualTo(Status.UP);
            assertThat(context.getBean(InterlockClient.class).find(RunId.parse("019a8c1e-5d3f-7c41-9a55-2b8f6f0c7a10")))
                    .as("runs of the same server")
                    .isEmpty();
        });
    }

    @Test
    void aKeyThatTheServerDoesNotAcceptKeepsTheApplicationFromStarting() {
        application().withPropertyValues("interlock.server.api-key=ilk_wrong").run(context -> {
            FailureAnalysis analysis = analysis(context.getStartupFailure());
            assertThat(analysis.getDescription())
                    .contains("interlock.server.api-key", "unknown", url)
                    .doesNotContain("ilk_wrong");
            assertThat(analysis.getAction()).contains("keys create --role worker");
        });
        application()
                .withPropertyValues("interlock.server.api-key=" + created("read"))
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("role read"));
        String worker = created("worker");
        application()
                .withPropertyValues("interlock.server.api-key=" + worker)
                .run(context -> assertThat(context.getBean(Job.class).run()).isEqualTo("ran"));
        application()
                .withPropertyValues("interlock.server.api-key=" + worker, "interlock.tenant=other")
                .run(context -> {
                    FailureAnalysis analysis = analysis(context.getStartupFailure());
                    assertThat(analysis.getDescription()).contains("interlock.tenant", "other");
                    assertThat(analysis.getAction()).contains("Remove interlock.tenant");
                });
    }

    @Test
    void wrongSettingsAreExplained() {
        refused("interlock.server.url", "write it as https://", "interlock.server.url=locks.example.org");
        refused("is no address", "write it as https://", "interlock.server.url=ftp://x/");
        refused("together with interlock.store", "remove one", "interlock.store=memory:");
        refused("api-key", "keys create", "interlock.server.api-key=");
        refused("did not answer", "interlock.server.url", "interlock.server.url=http://127.0.0.1:1");
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
                .withPropertyValues("interlock.server.api-key=" + apiKey)
                .run(context -> assertThat(analysis(context.getStartupFailure()).getAction())
                        .contains("the server's address"));
    }

    @Test
    void withoutTheClientTheNextStepIsItsModule() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
                .withPropertyValues("interlock.server.url=" + url, "interlock.server.api-key=" + apiKey)
                .withClassLoader(new FilteredClassLoader("io.interlock.client"))
                .run(context -> assertThat(analysis(context.getStartupFailure()).getAction())
                        .contains("interlock-client"));
    }

    @Test
    void theVariableOfTheCommandLineIsNoSettingOfAnApplication() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
                .withBean(Job.class)
                .withPropertyValues("interlock.server=http://elsewhere:1", "interlock.store=memory:")
                .run(context -> assertThat(context.getBean(Job.class).run()).isEqualTo("ran"));
    }

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        InterlockAutoConfiguration.class, InterlockActuatorAutoConfiguration.class))
                .withBean(Job.class)
                .withPropertyValues(settings());
    }

    /** Those of the page, at this server. */
    private static String[] settings() {
        try {
            Matcher block = Pattern.compile("(?ms)^<!-- run by: AtServerTest -->\n```properties\n(.*?)^```$")
                    .matcher(Files.readString(Path.of("../../docs/spring.md")));
            assertThat(block.find()).isTrue();
            return block.group(1)
                    .replace("https://locks.example.org", url)
                    .replace("${LOCKS_API_KEY}", apiKey)
                    .split("\n");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void refused(String description, String action, String setting) {
        application().withPropertyValues(setting).run(context -> {
            FailureAnalysis analysis = analysis(context.getStartupFailure());
            assertThat(analysis.getDescription()).contains(description);
            assertThat(analysis.getAction()).containsIgnoringCase(action);
        });
    }

    private static String created(String role) {
        try (InterlockClient client = InterlockClient.connect(url, apiKey)) {
            return client.connection()
                    .post("/keys", Facts.with("label", "of a test").and("role", role))
                    .shown("apiKey");
        }
    }

    private static FailureAnalysis analysis(@Nullable Throwable failure) {
        return requireNonNull(new InterlockFailureAnalyzer().analyze(requireNonNull(failure)));
    }

    static class Job {

        @ExclusiveRun(key = "nightly")
        public String run() {
            return CurrentLease.get().isPresent() ? "ran" : "no lease";
        }
    }
}
