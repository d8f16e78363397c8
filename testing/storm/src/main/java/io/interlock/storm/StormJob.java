package io.interlock.storm;

import static io.interlock.ConflictPolicy.QUEUE;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import io.interlock.LockKey;
import io.interlock.engine.Job;
import io.interlock.engine.JobBuilder;
import io.interlock.engine.RunContext;
import io.interlock.engine.TransientFailureException;
import io.interlock.run.RetryPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** The job of a storm: a few milliseconds under its key, observed by {@link OutsideWitness}; some attempts fail. */
final class StormJob {

    static final String NAME = "storm";
    static final int ATTEMPTS = 8;

    private static final int FAILS_ONE_IN = 50;

    private StormJob() {}

    static LockKey key(int number) {
        return LockKey.of("acme", "storm/" + number);
    }

    /** The job, executed in this process, with a witness in {@code folder}. */
    static Job in(Path folder) {
        OutsideWitness witness = new OutsideWitness(folder);
        return definition().handler(run -> work(run, witness)).build();
    }

    /** The job, executed by other processes. */
    static Job elsewhere() {
        return definition().build();
    }

    private static JobBuilder definition() {
        return Job.named(NAME)
                .onConflict(QUEUE)
                .lease(ofSeconds(3))
                .retry(new RetryPlan(ATTEMPTS, ofMillis(100), 2, ofSeconds(2)));
    }

    private static String work(RunContext run, OutsideWitness witness) throws IOException, TransientFailureException {
        try (OutsideWitness.Presence presence = witness.enter(run)) {
            LockSupport.parkNanos(ofMillis(2).toNanos());
            presence.stillAlone();
            if ((run.token().value() + run.run().number()) % FAILS_ONE_IN == 0) {
                throw new TransientFailureException("BAD_WEATHER", "one attempt in " + FAILS_ONE_IN + " fails");
            }
            return "{\"attempt\":" + run.attempt() + "}";
        }
    }
}
