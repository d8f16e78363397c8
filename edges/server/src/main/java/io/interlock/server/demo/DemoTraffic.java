package io.interlock.server.demo;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.time.Environment;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts runs as customers would, through the engine like everybody else: a key that is always held with others in line, one that
 * fails for good, one whose worker dies, and steady traffic whose starts get into each other's way.
 */
public final class DemoTraffic implements AutoCloseable {

    /** A key that somebody has, and others wait for. */
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
            log.warn("a sample start failed: {}", failed.toString());
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
}
