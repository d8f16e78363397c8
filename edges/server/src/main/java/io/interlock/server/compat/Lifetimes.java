package io.interlock.server.compat;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.TimeText;
import io.interlock.config.JobSettings;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has clusters destroyed whose lifetime is over. Every node looks; a cluster that is ready is destroyed by one job, for all of them ask
 * for it in the same words. One that is at work is looked at again. If the job has ended and the cluster is as it was, because it was
 * cancelled in the queue or no worker did it, it is submitted anew after a rest. One that never began is over. Used by one thread.
 */
final class Lifetimes {

    /** The job that destroys them. */
    static final String JOB = "JANITOR_DESTROY";

    private static final Logger log = LoggerFactory.getLogger(Lifetimes.class);
    private static final Actor ACTOR = Actor.of("interlock clusters");
    private static final Duration FIRST_REST = Duration.ofMinutes(1);
    private static final Duration LONGEST_REST = Duration.ofHours(1);

    private final RunEngine engine;
    private final ClusterRecords records;
    private final JobSettings job;
    private final InstantSource clock;

    /** Looks at {@code clock}, which should be the store's: all nodes, and who says when a lifetime ends, go by it. */
    Lifetimes(RunEngine engine, JobSettings job, InstantSource clock) {
        this.engine = engine;
        this.records = new ClusterRecords(engine);
        this.job = job;
        this.clock = clock;
    }

    void round() {
        try {
            Instant now = clock.instant();
            records.ending(now).forEach(ending -> guarded(ending, now));
        } catch (StoreUnavailableException away) {
            log.debug("checking lifetimes failed; retrying", away);
        } catch (RuntimeException failure) {
            log.warn("checking the lifetimes of clusters failed", failure);
        }
    }

    /** What is wrong with one cluster is no reason to leave those behind it alone. */
    private void guarded(ClusterRecords.Ending ending, Instant now) {
        try {
            end(ending, now);
        } catch (StoreUnavailableException away) {
            log.debug("checking the lifetime of cluster {} failed; retrying", ending.id(), away);
        } catch (RuntimeException failure) {
            log.warn("the lifetime of cluster {} is over, and it cannot be destroyed", ending.id(), failure);
        }
    }

    private void end(ClusterRecords.Ending ending, Instant now) {
        Resource cluster = engine.resource(ending.key()).orElse(null);
        if (cluster == null || ClusterRecords.isOver(cluster.state())) {
            records.forgetLifetime(ending, ACTOR);
        } else if (cluster.state().equals(ClusterRecords.READY)) {
            destroy(ending, cluster.version(), now);
        } else {
            records.judge(cluster, ACTOR);
        }
    }

    private void destroy(ClusterRecords.Ending ending, long version, Instant now) {
        String name = "lifetime/" + ending.id() + "/" + version;
        Submission answer = submit(ending, name);
        Duration rest = FIRST_REST;
        // The name of each run but the first says which one it comes after, so all nodes ask for the same one.
        while (answer instanceof Submission.Duplicate known && isOver(known.first(), now.minus(rest))) {
            answer = submit(ending, name + "/" + known.first().id());
            rest = rest.compareTo(LONGEST_REST) < 0 ? rest.multipliedBy(2) : rest;
        }
        if (answer instanceof Submission.Started || answer instanceof Submission.Queued) {
            log.info("the lifetime of cluster {} is over: {}", ending.id(), answer.explanation());
        }
    }

    /** Whether a run had ended by {@code then} without doing what it was asked for. */
    private static boolean isOver(Run run, Instant then) {
        return run.state().isTerminal()
                && run.state() != RunState.SUCCEEDED
                && !run.status().since().isAfter(then);
    }

    private Submission submit(ClusterRecords.Ending ending, String name) {
        return engine.submit(RunRequest.of(ending.key(), job.job().name())
                .onConflict(ConflictPolicy.QUEUE)
                .idempotencyKey(name)
                .parameters(ClusterApi.parameters(ending.id(), job.name()).encode())
                .submitter(ACTOR)
                .reason("its lifetime ended at " + TimeText.format(ending.expiresAt())));
    }
}
