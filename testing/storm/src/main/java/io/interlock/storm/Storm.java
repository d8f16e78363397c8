package io.interlock.storm;

import io.interlock.RunState;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.run.RunQuery;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * Runs on few keys, executed by three processes that are killed at random, on a PostgreSQL that is killed once; then
 * reports the result: {@code testing/storm/run [runs] [keys]}.
 */
public final class Storm {

    private static final int PROCESSES = 3;

    private final int runs;
    private final int keys;
    private final Duration killEvery;
    private final Duration limit;
    private final PrintStream out;
    private final Ticker ticker = Environment.system().ticker();
    private final RandomGenerator random = Environment.system().random();
    private int kills;
    private int restarts;

    Storm(int runs, int keys, Duration killEvery, Duration limit, PrintStream out) {
        this.runs = runs;
        this.keys = keys;
        this.killEvery = killEvery;
        this.limit = limit;
        this.out = out;
    }

    /** Starts a storm with this many runs and keys; exits with 1 if there are findings. */
    public static void main(String[] arguments) throws Exception {
        int runs = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10_000;
        int keys = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 200;
        Storm storm = new Storm(runs, keys, Duration.ofSeconds(7), Duration.ofSeconds(170), System.out);
        try (PostgresServer server = PostgresServer.start(PostgresServer.DURABLE)) {
            List<String> wrong = storm.on(server, Files.createTempDirectory("interlock-storm"));
            System.exit(wrong.isEmpty() ? 0 : 1);
        }
    }

    /** Runs the storm, and returns the findings. */
    List<String> on(PostgresServer server, Path folder) throws Exception {
        long began = ticker.nanos();
        try (RunStore store = (RunStore) Stores.open(server.url());
                RunEngine engine = RunEngine.builder(store)
                        .jobs(Jobs.of(StormJob.elsewhere()))
                        .slots(0)
                        .build()) {
            Submitting submitting = new Submitting(engine, runs, keys);
            try (Workers workers = new Workers(server.url(), folder, PROCESSES)) {
                submitting.start();
                batter(server, store, workers, submitting, began);
                submitting.await();
            }
            Findings findings = Findings.of(store, new OutsideWitness(folder), submitting.acknowledged(), keys);
            out.print(findings.figures());
            out.printf(
                    "faults                 %d kill -9 of workers, %d of the database, %d submissions without an answer%n",
                    kills, restarts, submitting.unanswered());
            out.printf("took                   %.1f s%n", since(began).toMillis() / 1000.0);
            findings.wrong().stream().limit(20).forEach(out::println);
            return findings.wrong();
        }
    }

    private void batter(PostgresServer server, RunStore store, Workers workers, Submitting submitting, long began)
            throws Exception {
        long lastKill = ticker.nanos();
        while (since(began).compareTo(limit) < 0) {
            LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
            if (since(lastKill).compareTo(killEvery) >= 0) {
                workers.killOne(random);
                kills++;
                lastKill = ticker.nanos();
            }
            if (restarts == 0 && submitting.submitted() >= runs / 2) {
                server.crash();
                restarts++;
            }
            if (restarts > 0 && kills > 1 && submitting.submitted() == runs && isCalm(store)) {
                return;
            }
        }
    }

    private static boolean isCalm(RunStore store) {
        return List.of(RunState.QUEUED, RunState.PENDING, RunState.RUNNING).stream()
                .allMatch(state -> store.queries()
                        .listRuns(RunQuery.ofTenant("acme").in(state).page(0, 1))
                        .runs()
                        .isEmpty());
    }

    private Duration since(long nanos) {
        return Duration.ofNanos(ticker.nanos() - nanos);
    }
}
