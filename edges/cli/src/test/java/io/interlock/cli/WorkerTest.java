package io.interlock.cli;

import static java.util.Collections.emptyEnumeration;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.cli.Cli.Running;
import io.interlock.cli.Typed.Answer;
import io.interlock.config.Intake;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code interlock worker}: does configured jobs until it is told to stop. */
class WorkerTest {

    @TempDir
    Path folder;

    @Test
    void aWorkerDoesWhatIsSubmittedAndEndsWhenToldTo() throws Exception {
        Path file = Files.writeString(
                folder.resolve("interlock.yaml"),
                "interlock:\n  jobs:\n    hello:\n      run: { command: [\"echo\", \"hello\"] }\n");
        Cli process = new Cli(folder);
        Typed cli = new Typed("INTERLOCK_STORE", process.store());
        Running worker = process.start("worker", "--config", file.toString(), "--host", "localhost", "--port", "0");
        await().until(() -> worker.err().contains("takes work from sqlite:"));
        Matcher health = Pattern.compile("(http://[^ ]+)/health/ready").matcher(worker.err());
        assertThat(health.find()).as(worker.err()).isTrue();
        assertThat(get(health.group(1) + "/health/live")).isEqualTo("200 {\"status\":\"UP\"}");
        assertThat(get(health.group(1) + "/health/ready")).isEqualTo("200 {\"status\":\"UP\"}");
        assertThat(ask("HEAD", health.group(1) + "/health/ready")).isEqualTo("200 ");
        Answer submitted = cli.type("runs", "submit", "hello", "--config", file.toString(), "--json");
        String id = StoreCommandsTest.field(submitted.out(), "id");
        Answer watched = cli.type("runs", "watch", id);
        assertThat(watched.out()).contains("ended SUCCEEDED");
        assertThat(watched.code()).isZero();
        assertThat(cli.type("runs", "logs", id).out()).startsWith("hello");
        await().until(() -> get(health.group(1) + "/metrics")
                .contains("interlock_runs_total{job=\"hello\",outcome=\"succeeded\"} 1"));
        Answer taken = cli.type(
                "worker", "--config", file.toString(), "--port", health.group(1).replaceFirst(".*:", ""));
        assertThat(taken.code()).isEqualTo(69);
        assertThat(taken.err()).contains("cannot listen at 127.0.0.1:", "choose another --port");
        assertThat(cli.type("worker", "--config", file.toString(), "--host", "::1")
                        .code())
                .isEqualTo(64);
        Answer none = cli.type("worker", "--config", file.toString(), "--port", "99999");
        assertThat(none.code()).isEqualTo(64);
        assertThat(none.err()).contains("--port '99999' is none", "from 1 to 65535");
        worker.signal("TERM");
        assertThat(worker.await().code()).isZero();
    }

    private static String get(String url) throws Exception {
        return ask("GET", url);
    }

    private static String ask(String method, String url) throws Exception {
        HttpRequest question = HttpRequest.newBuilder(URI.create(url))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(question, HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    @Test
    void aWorkerStartsIntakesAndEndsThemBeforeItsEngine() throws Exception {
        Path file = Files.writeString(folder.resolve("interlock.yaml"), """
                interlock:
                  jobs: { hello: { run: { command: ["true"] } } }
                  sqs: [ { queue: "https://sqs.eu-central-1.amazonaws.com/1/jobs.fifo" } ]
                """);
        Running worker = new Cli(folder).start("worker", "--config", file.toString());
        await().until(() -> worker.err().contains("intake of 1 queues begins"));
        worker.signal("TERM");
        assertThat(worker.await().code()).isZero();
        assertThat(worker.err()).contains("intake ends, workers take work: true");
    }

    @Test
    void aJobThatCannotBeCreatedIsRefusedAsTheMistakeThatItIs() throws Exception {
        Answer refused = refusal("jobs: { hello: { run: { java: no.Such } } }", "maxLease=5m");
        assertThat(refused.err()).contains("jobs.hello.run.java", "'no.Such'", "is not on the class path");
    }

    @Test
    void anIntakeThatIsMissingIsRefusedBeforeWorkIsClaimed() throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader all = thread.getContextClassLoader();
        thread.setContextClassLoader(new ClassLoader(all) {
            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                return name.endsWith(Intake.class.getName()) ? emptyEnumeration() : super.getResources(name);
            }
        });
        try {
            Answer refused = refusal("""
                    jobs: { hello: { run: { command: ["true"] } } }
                      sqs: [ { queue: "https://sqs.eu-central-1.amazonaws.com/1/jobs.fifo" } ]
                    """, "maxLease=5m");
            assertThat(refused.err()).contains("sqs[0].queue", "needs the SQS intake");
        } finally {
            thread.setContextClassLoader(all);
        }
    }

    @Test
    void aLeaseAboveThoseOfTheStoreIsRefusedBeforeWorkIsClaimed() throws Exception {
        Answer refused = refusal("jobs: { hello: { lease: 1m, run: { command: [\"true\"] } } }", "maxLease=30s");
        assertThat(refused.err()).contains("jobs.hello.lease", "'1m' is above the store's maxLease of 30s");
    }

    /** The answer to a worker whose configuration is wrong. There is work for it, which it leaves alone. */
    private Answer refusal(String wrong, String parameters) throws Exception {
        String store = new Cli(folder).store() + "?" + parameters;
        Typed cli = new Typed("INTERLOCK_STORE", store);
        Path right = Files.writeString(
                folder.resolve("right.yaml"), "interlock: { jobs: { hello: { run: { command: [\"true\"] } } } }");
        Path file = Files.writeString(folder.resolve("wrong.yaml"), "interlock:\n  " + wrong);
        String id = StoreCommandsTest.field(
                cli.type("runs", "submit", "hello", "--config", right.toString(), "--json")
                        .out(),
                "id");
        Answer refused = cli.type("worker", "--config", file.toString());
        assertThat(refused.code()).as(refused.err()).isEqualTo(78);
        assertThat(StoreCommandsTest.field(
                        cli.type("runs", "show", id, "--json").out(), "state"))
                .isEqualTo("PENDING");
        return refused;
    }
}
