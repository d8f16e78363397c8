package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.cli.Cli.Running;
import io.interlock.servers.TraceCollector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code interlock worker} exports the traces of its runs by the standard variables, to a real receiver. */
class TracedWorkerTest {

    private static final String VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT";
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final Pattern SAW = Pattern.compile("saw 00-([0-9a-f]{32})-[0-9a-f]{16}-0[13]");

    @TempDir
    Path folder;

    private Path file(String run) throws Exception {
        return Files.writeString(
                Files.createTempFile(folder, "jobs", ".yaml"), "interlock: { jobs: { say: { run: " + run + " } } }\n");
    }

    private Path saying() throws Exception {
        return file("{ command: [sh, -c, 'echo saw $TRACEPARENT'] }");
    }

    /** Starts a worker, which ends after {@code run}: then all its spans are exported. */
    private void work(TraceCollector collector, Path jobs, Work run, String... more) throws Exception {
        String[] words = new String[more.length + 3];
        System.arraycopy(new String[] {"worker", "--config", jobs.toString()}, 0, words, 0, 3);
        System.arraycopy(more, 0, words, 3, more.length);
        Running worker = new Cli(folder).startWith(VARIABLE, collector.url(), words);
        try {
            await().until(() -> worker.err().contains("takes work from")
                    || !worker.process().isAlive());
            run.perform();
            worker.signal("TERM");
            assertThat(worker.await().code()).as(worker.err()).isZero();
        } finally {
            worker.process().destroyForcibly();
        }
    }

    /** What happens while a worker works. */
    private interface Work {
        void perform() throws Exception;
    }

    private static void requireSpans(TraceCollector collector, String trace) {
        assertThat(collector.received())
                .contains("interlock-worker", "interlock.wait", "interlock.attempt")
                .contains(TraceCollector.bytesOf(trace));
    }

    private static String traceSeenBy(Typed cli, String run) {
        assertThat(cli.type("runs", "watch", run).out()).contains("ended SUCCEEDED");
        // The output of a command is kept shortly after its end.
        return await().until(
                        () -> SAW.matcher(cli.type("runs", "logs", run).out())
                                .results()
                                .map(seen -> seen.group(1))
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    @Test
    void spansOfARunOfAStoreReachACollectorAndItsCommandSeesTheTrace() throws Exception {
        Path jobs = saying();
        Typed cli = new Typed("INTERLOCK_STORE", new Cli(folder).store());
        StringBuilder trace = new StringBuilder();
        try (TraceCollector collector = TraceCollector.start()) {
            work(collector, jobs, () -> {
                String run = StoreCommandsTest.field(
                        cli.type("runs", "submit", "say", "--config", jobs.toString(), "--json")
                                .out(),
                        "id");
                trace.append(traceSeenBy(cli, run));
            });
            requireSpans(collector, trace.toString());
        }
    }

    @Test
    void spansOfARunOfAServerBelongToTheTraceOfItsCaller() throws Exception {
        Path remote = file("{ worker: remote }");
        try (ServerProcess server = ServerProcess.start(folder, "traced", "--config", remote.toString());
                TraceCollector collector = TraceCollector.start()) {
            Path key = Files.writeString(folder.resolve("key"), server.apiKey());
            work(
                    collector,
                    saying(),
                    () -> {
                        HttpRequest start = HttpRequest.newBuilder(URI.create(server.url() + "/api/v1/runs"))
                                .header("x-api-key", server.apiKey())
                                .header("content-type", "application/json")
                                .header("traceparent", "00-" + TRACE + "-b7ad6b7169203331-01")
                                .POST(HttpRequest.BodyPublishers.ofString("{\"key\": \"traced\", \"job\": \"say\"}"))
                                .build();
                        String run = HttpClient.newHttpClient()
                                .send(start, BodyHandlers.ofString())
                                .body()
                                .replaceFirst("(?s).*?\"id\":\\s*\"([^\"]+)\".*", "$1");
                        Typed cli =
                                new Typed("INTERLOCK_SERVER", server.url()).set("INTERLOCK_API_KEY", server.apiKey());
                        assertThat(traceSeenBy(cli, run)).isEqualTo(TRACE);
                    },
                    "--server",
                    server.url(),
                    "--api-key-file",
                    key.toString());
            requireSpans(collector, TRACE);
            assertThat(collector.received()).contains("interlock.finish");
        }
    }
}
