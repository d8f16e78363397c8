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
    private final DyingWorker worker;
    private final DemoCluster cluster;
    private int tick;

    private DemoTraffic(RunEngine engine, Environment environment) {
        this.engine = engine;
        this.environment = environment;
        timers = environment.timers("interlock-demo");
        worker = new DyingWorker(engine, environment);
        cluster = new DemoCluster(engine);
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
                cluster.next().forEach(job -> submit(new Start(DemoCluster.KEY, job)));
            }
            worker.look();
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

    /** A cluster that is created, scaled and destroyed over and over, by whichever job its state allows. */
    static final class DemoCluster {

        /** As the clusters compatible API names them, so that it can be looked at there. */
        static final String KEY = "cluster/berlin.example.com.aws.demo000001";

        private static final String KIND = "cluster";
        private static final String PENDING = "PENDING";

        private final RunEngine engine;

        DemoCluster(RunEngine engine) {
            this.engine = engine;
        }

        /** The job that may come next; two of them at once get into each other's way. Empty while it is at work. */
        List<String> next() {
            LockKey key = LockKey.of(LockKey.DEFAULT_TENANT, KEY);
            Optional<Resource> cluster = engine.resource(key);
            String state = cluster.map(Resource::state).orElse(Resource.UNTOUCHED);
            return switch (state) {
                case Resource.UNTOUCHED, "DESTROYED" -> {
                    long version = cluster.map(Resource::version).orElse(0L);
                    engine.setResource(key, KIND, PENDING, version, "demo", "sample data of the demo");
                    yield List.of("CREATE");
                }
                case PENDING -> List.of("CREATE");
                case "READY" -> List.of("SCALE_WORKERS", "DESTROY");
                case "FAILED" -> List.of("DESTROY");
                default -> List.of();
            };
        }
    }

    /**
     * A worker as in another process: it claims a run, and is never heard of again. The lease ends, the janitor says so, and the run is
     * tried again; then the worker does its work.
     */
    static final class DyingWorker {

        private static final Logger log = LoggerFactory.getLogger(DyingWorker.class);

        /** The same each time it asks: people see one worker, not one for every time. */
        private static final Holder WORKER = new Holder("demo importer", "importer on edge-7");

        private static final Set<JobName> JOBS = Set.of(new JobName("import_telemetry"));

        private final RunEngine engine;
        private final Environment environment;

        DyingWorker(RunEngine engine, Environment environment) {
            this.engine = engine;
            this.environment = environment;
        }

        void look() {
            RemoteWork.Claim claim = new RemoteWork.Claim(
                    new UUID(
                            environment.random().nextLong(),
                            environment.random().nextLong()),
                    WORKER,
                    LockKey.DEFAULT_TENANT,
                    JOBS,
                    1);
            List<Claimed> taken = engine.remote()
                    .claim(claim, Duration.ZERO)
                    .toCompletableFuture()
                    .join();
            taken.forEach(this::workOrDie);
        }

        private void workOrDie(Claimed claimed) {
            RemoteWork.Proof proof = new RemoteWork.Proof(
                    claimed.run().id(),
                    claimed.run().key(),
                    claimed.lease().id(),
                    claimed.lease().token());
            if (claimed.run().status().attempts() == 1) {
                log.info(
                        "the importer of run {} stops sending heartbeats",
                        claimed.run().id());
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
}
