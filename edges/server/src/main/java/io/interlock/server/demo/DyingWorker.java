package io.interlock.server.demo;

import io.interlock.Holder;
import io.interlock.LockKey;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunEngine;
import io.interlock.run.Claimed;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.Progress;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker as in another process: it claims a run, and is never heard of again. The lease ends, the janitor says so, and the run is
 * tried again; then the worker does its work.
 */
final class DyingWorker {

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

    /** Takes what there is. */
    void look() {
        RemoteWork.Claim claim = new RemoteWork.Claim(
                new UUID(environment.random().nextLong(), environment.random().nextLong()),
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
                    "the importer of run {} is not heard of again",
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
