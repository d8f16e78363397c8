package io.interlock.benchmark;

import io.interlock.benchmark.report.Report;
import io.interlock.benchmark.server.Servers;
import io.interlock.benchmark.workload.Bench;
import io.interlock.benchmark.workload.Catalog;
import io.interlock.benchmark.workload.Results;
import io.interlock.benchmark.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code ./interlock bench}: measures Interlock and its peers in one run, and says which bars are reached. */
public final class Benchmark {

    private static final Duration TO_STOP = Duration.ofSeconds(30);
    private static final int BARS_MISSED = 1;
    private static final int USAGE = 64;

    private Benchmark() {}

    /** Measures; ends with 1 if a bar is missed, and with 64 if the arguments make no sense. */
    public static void main(String[] words) throws Exception {
        List<Workload> all = Catalog.all();
        Arguments arguments;
        try {
            arguments = Arguments.parse(List.of(words), all);
        } catch (IllegalArgumentException wrong) {
            System.err.println("interlock bench: " + wrong.getMessage());
            System.exit(USAGE);
            return;
        }
        if (arguments.list()) {
            all.forEach(workload -> System.out.printf(
                    Locale.ROOT,
                    "%-18s %s%s%n",
                    workload.name(),
                    workload.title(),
                    workload.onlyIfNamed() ? " (only if named)" : ""));
            return;
        }
        System.exit(run(arguments) ? 0 : BARS_MISSED);
    }

    private static boolean run(Arguments arguments) throws Exception {
        Path home = Path.of(System.getProperty("interlock.home", "")).toAbsolutePath();
        Path output = home.resolve("testing/benchmark/target/bench");
        Files.createDirectories(output);
        Files.deleteIfExists(output.resolve("bench.log"));
        Path folder = Files.createTempDirectory("interlock-bench");
        try (Servers servers = new Servers()) {
            stopWithThisProcess(servers);
            Bench bench = new Bench(arguments.pace(), servers, home, folder);
            Report report = new Report(System.out, Machine.describe(arguments, servers, folder));
            for (Workload workload : arguments.workloads()) {
                measure(workload, bench, report);
            }
            report.finish();
            report.write(output);
            Path charts = arguments.charts();
            if (charts != null) {
                report.draw(charts);
            }
            return report.passes();
        } finally {
            delete(folder);
        }
    }

    /** Stopped by a signal, it leaves no servers and no workers behind. */
    private static void stopWithThisProcess(Servers servers) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroy);
            try {
                servers.close();
            } catch (IOException alreadyClosed) {
                // The servers have hooks of their own; one of both is the first.
            }
        }));
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static void measure(Workload workload, Bench bench, Report report) throws InterruptedException {
        Results results = new Results();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread runner = new Thread(
                () -> {
                    try {
                        workload.run(bench, results);
                    } catch (Throwable stopped) {
                        failure.set(stopped);
                    }
                },
                "workload-" + workload.name());
        // A workload that ignores its stop signal must not keep the others from being measured, nor the process
        // alive.
        runner.setDaemon(true);
        long began = System.nanoTime();
        runner.start();
        runner.join(workload.limit(bench.pace()).toMillis());
        if (runner.isAlive()) {
            results.remark(
                    "Stopped at its limit of " + workload.limit(bench.pace()).toSeconds() + " s.");
            runner.interrupt();
            runner.join(TO_STOP.toMillis());
        } else if (failure.get() != null) {
            results.remark("Failed: " + failure.get());
            failure.get().printStackTrace();
        }
        results.remark(
                String.format(Locale.ROOT, "%s took %.0f s.", workload.name(), (System.nanoTime() - began) / 1e9));
        report.add(results.comparisons(), workload.bars(), results.remarks());
    }
}
