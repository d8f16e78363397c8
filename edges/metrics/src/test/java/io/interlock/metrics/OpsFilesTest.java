package io.interlock.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.RunState;
import io.interlock.ThisProcess;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.audit.AuditReport;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditRecord;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunSpec.Execution;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.run.SweepAction;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.yaml.snakeyaml.Yaml;

/** Rules, dashboard and documentation name exactly the existing series, and promtool accepts the rules. */
@Timeout(60)
class OpsFilesTest {

    private static final LockKey KEY = LockKey.of("acme", "ledger");
    private static final Holder HOLDER = ThisProcess.holder(Environment.system().random());
    private static final Path ROOT = Path.of("../..");
    private static final Path RULES = ROOT.resolve("ops/prometheus");
    private static final Pattern SERIES = Pattern.compile("\\binterlock_[a-z_]+");
    private static final Pattern SELECTOR = Pattern.compile("\\b(interlock_[a-z_]+)\\{([^}]*)\\}");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)\\s*(?:=|!=|=~|!~)\\s*\"");
    private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on) ?\\(([^)]*)\\)");
    private static final Pattern PART_OF_TIMER = Pattern.compile("_seconds_(bucket|count|sum|max)$");

    @Test
    void everySeriesNamedInOpsIsDocumented() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("ops"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(documented()).as("%s", file).containsAll(names(Files.readString(file)));
            }
        }
    }

    @Test
    void whatIsDocumentedIsExactlyWhatThereIs() throws IOException {
        // The server and the SQS intake have further meters, and their own tests compare them with the page.
        assertThat(documented().stream()
                        .filter(series -> !series.startsWith("interlock_sqs_"))
                        .filter(series -> !series.startsWith("interlock_access_")))
                .containsExactlyElementsOf(names(scrape()));
    }

    @Test
    void everyLabelThatIsAskedForExists() throws IOException {
        Map<String, Set<String>> known = labels(scrape());
        Set<String> any = known.values().stream().flatMap(Set::stream).collect(Collectors.toCollection(TreeSet::new));
        // Added by Prometheus, by the option for tenants, by the SQS intake, or by recording rules themselves.
        any.addAll(Set.of("instance", "le", "tenant", "queue", "tag", "pipeline_id", "tenant_id", "phase", "job_type"));
        for (String name : List.of("prometheus/alerts.yml", "prometheus/recording.yml", "grafana/interlock.json")) {
            String file = Files.readString(ROOT.resolve("ops").resolve(name)).replace("\\\"", "\"");
            assertThat(GROUPING.matcher(file)
                            .results()
                            .flatMap(found -> Stream.of(found.group(1).split("[, ]+"))))
                    .as("groupings of %s", name)
                    .isNotEmpty()
                    .isSubsetOf(any);
            SELECTOR.matcher(file)
                    .results()
                    .filter(found -> known.containsKey(found.group(1)))
                    .forEach(found -> assertThat(
                                    LABEL.matcher(found.group(2)).results().map(label -> label.group(1)))
                            .as("labels of %s in %s", found.group(), name)
                            .isSubsetOf(Stream.concat(
                                            known.getOrDefault(found.group(1), Set.of()).stream(),
                                            Stream.of("instance", "tenant"))
                                    .toList()));
        }
    }

    private static Map<String, Set<String>> labels(String scraped) {
        Map<String, Set<String>> labels = new TreeMap<>();
        SELECTOR.matcher(scraped)
                .results()
                .forEach(found -> LABEL.matcher(found.group(2))
                        .results()
                        .forEach(label -> labels.computeIfAbsent(found.group(1), name -> new TreeSet<>())
                                .add(label.group(1))));
        return labels;
    }

    @Test
    void everyAlertHasItsRunbook() throws IOException {
        String runbooks = Files.readString(ROOT.resolve("docs/runbooks.md"));
        List<String> sections = runbooks.lines()
                .filter(line -> line.startsWith("## "))
                .map(line -> line.substring(3))
                .toList();
        Set<String> alerts = new TreeSet<>();
        Pattern alert = Pattern.compile("alert: (\\w+)");
        Files.readString(RULES.resolve("alerts.yml")).lines().forEach(line -> {
            var found = alert.matcher(line);
            if (found.find()) {
                alerts.add(found.group(1));
            }
        });
        assertThat(alerts).hasSizeGreaterThan(10).containsExactlyInAnyOrderElementsOf(sections);
    }

    @Test
    void prometheusAcceptsTheRulesAndTheirTestsPass() throws Exception {
        String promtool = promtool();
        assumeTrue(promtool != null, "no promtool; ./test downloads it if possible");
        run(promtool, "check", "rules", "alerts.yml", "recording.yml");
        run(promtool, "test", "rules", "rules-test.yml");
    }

    @Test
    void theDashboardAsksForSomethingInEveryPanel() throws IOException {
        // Every JSON document is a YAML document.
        Object dashboard = new Yaml().load(Files.readString(ROOT.resolve("ops/grafana/interlock.json")));
        List<?> panels = (List<?>) ((Map<?, ?>) dashboard).get("panels");
        assertThat(panels).hasSizeGreaterThan(20).allSatisfy(panel -> {
            Map<?, ?> of = (Map<?, ?>) panel;
            if (!"row".equals(of.get("type"))) {
                assertThat((List<?>) of.get("targets")).isNotEmpty();
            }
        });
    }

    private static Set<String> documented() throws IOException {
        return names(Files.readString(ROOT.resolve("docs/metrics.md"))
                .lines()
                .filter(line -> line.startsWith("| `"))
                .collect(Collectors.joining("\n")));
    }

    private static Set<String> names(String text) {
        return SERIES.matcher(text)
                .results()
                .map(found -> PART_OF_TIMER.matcher(found.group()).replaceFirst("_seconds"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Lets every event happen once. */
    private static String scrape() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (InterlockMeters meters = InterlockMeters.on(registry)) {
            RunStore store = meters.around(new MemoryStore(Environment.system()));
            Job job = Job.named("close")
                    .maxRuntime(Duration.ofHours(1))
                    .stage("load")
                    .build();
            try (RunEngine engine = RunEngine.builder(store)
                    .jobs(Jobs.of(job))
                    .listener(meters.listener())
                    .build()) {
                meters.watch(engine, Environment.system());
                meters.describe(Map.of("close", "pipelines"));
                Submission.Started started = (Submission.Started)
                        engine.submit(RunRequest.of(KEY, "close").execution(Execution.CALLER));
                Objects.requireNonNull(started.work()).close();
                useBareLeases(store);
                tellTroubles(meters, started.started());
                await().until(() -> names(registry.scrape())
                        .containsAll(Set.of("interlock_run_seconds", "interlock_dead_letters")));
                return registry.scrape();
            }
        }
    }

    private static void useBareLeases(RunStore store) {
        LeaseId lease = LeaseId.random(Environment.system().random());
        LockKey key = LockKey.of("acme", "bare");
        store.tryAcquire(List.of(AcquireRequest.of(key, lease, HOLDER, Duration.ofSeconds(30))));
        store.renew(List.of(new RenewRequest(key, lease, new FencingToken(1), Duration.ofSeconds(30))));
    }

    private static void tellTroubles(InterlockMeters meters, Run run) {
        StopRequest stop = new StopRequest(RunError.CANCELLED, "ann", "enough", Instant.EPOCH);
        LeaseRecord lease = new LeaseRecord(
                KEY,
                LeaseId.random(Environment.system().random()),
                HOLDER,
                new FencingToken(1),
                Instant.EPOCH,
                Instant.EPOCH,
                Instant.EPOCH,
                null);
        Stream.of(
                        new EngineEvent.LeaseLost(run, LossCause.EXPIRED),
                        new EngineEvent.StageEntered(run, "tell", "load", Duration.ofSeconds(1)),
                        new EngineEvent.StageOverBudget(run, "load", Duration.ofSeconds(1)),
                        new EngineEvent.WorkStuck(run, stop),
                        new EngineEvent.AttemptEnded(run.with(run.status().moved(RunState.TIMED_OUT, Instant.EPOCH))),
                        new EngineEvent.EndedByRule(
                                run,
                                new AuditRecord(
                                        1,
                                        Instant.EPOCH,
                                        KEY,
                                        run.id(),
                                        null,
                                        AuditRecord.RULES,
                                        "run",
                                        "RUNNING",
                                        "QUEUED",
                                        "lost",
                                        null,
                                        null),
                                null),
                        new EngineEvent.Evicted(KEY, new EvictAnswer.Evicted(lease, Instant.EPOCH), "ann", "stuck"),
                        new EngineEvent.AuditAlarm(
                                KEY, new AuditReport(Seal.GENESIS, Seal.GENESIS, null, 0, List.of(), 0)),
                        new EngineEvent.Swept(new SweepAction(KEY, run.id(), RunState.QUEUED, "lost"), "runs"))
                .forEach(meters.listener()::on);
    }

    private static void run(String... command) throws Exception {
        Process tool = new ProcessBuilder(command)
                .directory(RULES.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(tool.waitFor()).as(said).isZero();
    }

    private static @Nullable String promtool() {
        Stream<Path> onPath = Stream.of(System.getenv("PATH").split(":")).map(Path::of);
        return Stream.concat(Stream.of(ROOT.resolve("target/tools/usr/bin")), onPath)
                .map(folder -> folder.resolve("promtool"))
                .filter(Files::isExecutable)
                .findFirst()
                .map(tool -> tool.toAbsolutePath().toString())
                .orElse(null);
    }
}
