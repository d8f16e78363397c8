package io.interlock.server.door.clusters;

import io.interlock.ConflictPolicy;
import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.config.JobSettings;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.Resource;
import io.interlock.server.json.JsonTime;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has clusters destroyed whose lifetime is over. Every node looks; a cluster that is ready is destroyed by one job, for all of them ask
 * for it in the same words. One that is at work is looked at again. Used by one thread.
 */
final class Lifetimes {

    /** The job that destroys them. */
    static final String JOB = "JANITOR_DESTROY";

    private static final Logger log = LoggerFactory.getLogger(Lifetimes.class);
    private static final String ACTOR = "interlock clusters";

    private final RunEngine engine;
    private final ClusterRecords records;
    private final JobSettings job;
    private final InstantSource clock;

    Lifetimes(RunEngine engine, JobSettings job, InstantSource clock) {
        this.engine = engine;
        this.records = new ClusterRecords(engine);
        this.job = job;
        this.clock = clock;
    }

    /** Looks at every cluster once. */
    void round() {
        try {
            records.ending(clock.instant()).forEach(this::end);
        } catch (InterlockException away) {
            log.debug("lifetimes are looked at again later", away);
        }
    }

    private void end(ClusterRecords.Ending ending) {
        Resource cluster = engine.resource(ending.key()).orElse(null);
        if (cluster == null || ClusterRecords.isOver(cluster.state())) {
            records.forgetLifetime(ending, ACTOR);
        } else if (cluster.state().equals(ClusterRecords.READY)) {
            destroy(ending.key(), ending.id(), ending.expiresAt(), cluster.version());
        }
    }

    private void destroy(LockKey key, ClusterId id, Instant expiresAt, long version) {
        Submission answer = engine.submit(RunRequest.of(key, job.job().name())
                .onConflict(ConflictPolicy.QUEUE)
                .idempotencyKey("lifetime/" + id + "/" + version)
                .parameters(ClusterJson.parameters(id, job.name()).encode())
                .submitter(ACTOR)
                .reason("its lifetime ended at " + JsonTime.of(expiresAt)));
        if (answer instanceof Submission.Started || answer instanceof Submission.Queued) {
            log.info("the lifetime of cluster {} is over: {}", id, answer.explanation());
        }
    }
}
