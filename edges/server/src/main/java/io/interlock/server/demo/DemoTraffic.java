package io.interlock.server.demo;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LockKey;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.RunStatus.Progress;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts runs as customers would, through the engine: a key that is always held with others queued, one that
 * fails for good, one whose worker dies, and steady traffic whose starts get into each other's way.
 */
public final class DemoTraffic implements AutoCloseable {

    /** A key that is held and waited for. */
    public static final String BUSY_KEY = "demo/backup";

    private static final Logger log = LoggerFactory.getLogger(DemoTraffic.class);
    private static final Duration BETWEEN = Duration.ofMillis(2_500);
    private static final int IN_LINE = 3;
    private static final int FAIL_EVERY = 40;
    private static final int LOSE_EVERY = 24;
    private static final int CLUSTER_EVERY = 4;

    /** A cluster that is created, scaled and destroyed over and over; with an id as its compatible API makes them. */
    private static final String CLUSTER = "cluster/berlin-demo000001";

    /** The same each time it asks: people see one worker, not one for every time. */
    private static final Holder DYING_WORKER = new Holder("demo importer", "importer on edge-7");

    private static final Set<JobName> DYING_JOBS = Set.of(new JobName("import_telemetry"));

    private record Start(String key, String job) {}

    private static final List<Start> USUAL = List.of(
            new Start("pipeline/gcp_billing_export", "gcp_billing_export"),
            new Start("pipeline/gcp_billing_export", "gcp_billing_export"),
            new Start("pipeline/aws_cost_import", "aws_cost_import"),
            new Start("flow/4711/readiness", "readiness"),
            new Start("flow/4712/readiness", "readiness"),
            new Start("event/daytona", "ingest_laps"),
            new Start("event/monza", "ingest_laps"),
            new Start("workflow/order_fulfilment", "order_fulfilment"));

    private final RunEngine engine;
    private final Environment environment;
    private final Timers timers;
    private int tick;

    private DemoTraffic(RunEngine engine, Environment environment) {
        this.engine = engine;
        this.environment = environment;
        timers = environment.timers("interlock-demo");
    }

    /** Begins, and goes on until it is closed. */
    public static DemoTraffic start(RunEngine engine, Environment environment) {
        DemoTraffic traffic = new DemoTraffic(engine, environment);
        traffic.timers.after(Duration.ZERO, traffic::next);
        return traffic;
    }

    @Override
    public void close() {
        timers.close();
    }

    private void next() {
        try {
            keepInLine();
            if (tick % FAIL_EVERY == 0) {
                submit(new Start("demo/inventory", "sync_inventory"));
            }
            if (tick % LOSE_EVERY == 0) {
                submit(new Start("demo/telemetry", "import_telemetry"));
            }
            if (tick % CLUSTER_EVERY == 0) {
                nextOfCluster().forEach(job -> submit(new Start(CLUSTER, job)));
            }
            claimAndDie();
            submit(USUAL.get(environment.random().nextInt(USUAL.size())));
        } catch (RuntimeException failed) {
            log.warn("a sample run could not be started: {}", failed.toString());
        } finally {
            tick++;
            timers.after(BETWEEN, this::next);
        }
    }

    private void keepInLine() {
        LockKey key = LockKey.of(LockKey.DEFAULT_TENANT, BUSY_KEY);
        for (int waiting = engine.queue(key).size(); waiting < IN_LINE; waiting++) {
            engine.submit(request(new Start(BUSY_KEY, "backup")).onConflict(ConflictPolicy.QUEUE));
        }
    }

    private void submit(Start start) {
        engine.submit(request(start));
    }

    private RunRequest request(Start start) {
        return RunRequest.of(LockKey.of(LockKey.DEFAULT_TENANT, start.key()), start.job())
                .submitter("demo")
                .reason("sample data of the demo")
                .labels(Map.of("source", "demo"))
                .parameters("{\"number\":" + tick + "}");
    }

    /** The job of a cluster that may come next; two of them at once get into each other's way. Empty while it is at work. */
    private List<String> nextOfCluster() {
        LockKey key = LockKey.of(LockKey.DEFAULT_TENANT, CLUSTER);
        Optional<Resource> cluster = engine.resource(key);
        return switch (cluster.map(Resource::state).orElse(Resource.UNTOUCHED)) {
            case Resource.UNTOUCHED, "DESTROYED" -> {
                long version = cluster.map(Resource::version).orElse(0L);
                engine.setResource(key, "cluster", "PENDING", version, "demo", "sample data of the demo");
                yield List.of("CREATE");
            }
            case "PENDING" -> List.of("CREATE");
            case "READY" -> List.of("SCALE_WORKERS", "DESTROY");
            case "FAILED" -> List.of("DESTROY");
            default -> List.of();
        };
    }

    /**
     * A worker as in another process claims a run, and is never heard of again. The lease ends, the janitor says so, and the run is
     * tried again; then the worker does its work.
     */
    private void claimAndDie() {
        UUID id = new UUID(environment.random().nextLong(), environment.random().nextLong());
        RemoteWork.Claim claim = new RemoteWork.Claim(id, DYING_WORKER, LockKey.DEFAULT_TENANT, DYING_JOBS, 1);
        engine.remote().claim(claim, Duration.ZERO).toCompletableFuture().join().forEach(this::workOrDie);
    }

    private void workOrDie(Claimed claimed) {
        Run run = claimed.run();
        RemoteWork.Proof proof = new RemoteWork.Proof(
                run.id(), run.key(), claimed.lease().id(), claimed.lease().token());
        if (run.status().attempts() == 1) {
            log.info("the importer of run {} stops sending heartbeats", run.id());
            engine.remote()
                    .heartbeat(proof, "receive", new Progress(1, 3L))
                    .toCompletableFuture()
                    .join();
        } else {
            engine.remote()
                    .finish(proof, new Ending.Succeeded("{\"rows\":1200}"))
                    .toCompletableFuture()
                    .join();
        }
    }
}
