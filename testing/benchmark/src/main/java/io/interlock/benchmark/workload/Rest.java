package io.interlock.benchmark.workload;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Contender;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.measure.Rounds;
import io.interlock.benchmark.measure.Throughput;
import io.interlock.benchmark.measure.Throughput.Step;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.report.Limit;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.benchmark.server.PostgresUnderTest;
import io.interlock.benchmark.server.ServerProcess;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.Ending;
import io.interlock.run.RunSpec.Execution;
import java.time.Duration;
import java.util.List;

/** The REST API of a server with warm code, beside the library that it calls, which does the same in this process. */
final class Rest implements Workload {

    private static final String SERVER = "REST";
    private static final String LIBRARY = "library";
    private static final String HELD = "held";
    private static final int CONNECTIONS = 64;

    @Override
    public String name() {
        return "rest";
    }

    @Override
    public String title() {
        return "64 connections to a server that is warm, beside 64 threads that call the library";
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio("rest-refused", Figure.PER_SECOND, SERVER, LIBRARY, Limit.atLeast(0.5)),
                Bar.ratio("rest-start-finish", Figure.PER_SECOND, SERVER, LIBRARY, Limit.atLeast(0.8)));
    }

    @Override
    public void run(Bench bench, Results results) throws Exception {
        PostgresUnderTest postgres = bench.servers().postgres();
        PostgresAddress ofServer = postgres.newDatabase("rest");
        PostgresAddress ofLibrary = postgres.newDatabase("library");
        Duration warm = bench.pace().span(Duration.ofSeconds(60), Duration.ofSeconds(8));
        try (ServerProcess server = ServerProcess.start(bench.home(), bench.folder(), ofServer.storeUrl());
                RestClient rest = new RestClient(server, CONNECTIONS);
                RunEngine engine = RunEngine.builder(ofLibrary.storeUrl())
                        .slots(0)
                        .drainTime(Duration.ofSeconds(1))
                        .build()) {
            rest.hold(HELD);
            engine.submit(request(HELD)).orElseThrow();
            compare(
                    results.compare("rest-refused", "refused start; " + title(), Figure.PER_SECOND),
                    rest.refused(HELD),
                    thread -> requireRefused(engine.submit(request(HELD))),
                    bench.pace(),
                    Meter.of(postgres),
                    warm);
            compare(
                    results.compare("rest-start-finish", "start and finish; " + title(), Figure.PER_SECOND),
                    rest.startAndFinish(),
                    thread -> startAndFinish(engine, thread),
                    bench.pace(),
                    Meter.of(postgres),
                    warm);
        } finally {
            postgres.drop(ofServer);
            postgres.drop(ofLibrary);
        }
    }

    private static void compare(Comparison comparison, Step rest, Step library, Pace pace, Meter meter, Duration warm)
            throws Exception {
        Throughput.count(RestClient.THREADS, new Pace(1, Duration.ZERO, warm, pace.quick()), Meter.ofMachine(), rest);
        Throughput.measure(
                CONNECTIONS, new Pace(1, Duration.ZERO, warm.dividedBy(4), pace.quick()), Meter.ofMachine(), library);
        Contender server = new Contender(SERVER, slice -> Throughput.count(RestClient.THREADS, slice, meter, rest));
        Contender direct = new Contender(LIBRARY, slice -> Throughput.measure(CONNECTIONS, slice, meter, library));
        Rounds.run(comparison, pace.sliced(), List.of(server, direct, direct.again()));
    }

    private static void startAndFinish(RunEngine engine, int thread) {
        if (engine.submit(request("key/" + thread)) instanceof Submission.Started started && started.work() != null) {
            started.work().finish(new Ending.Succeeded(null));
        } else {
            throw new IllegalStateException("key/" + thread + " should be free");
        }
    }

    private static void requireRefused(Submission answer) {
        if (!(answer instanceof Submission.Rejected)) {
            throw new IllegalStateException("was granted though the key is held: " + answer.explanation());
        }
    }

    private static RunRequest request(String key) {
        return RunRequest.of(LockKey.of(key), "bench")
                .execution(Execution.CALLER)
                .onConflict(ConflictPolicy.REJECT)
                .lease(Duration.ofMinutes(5));
    }
}
