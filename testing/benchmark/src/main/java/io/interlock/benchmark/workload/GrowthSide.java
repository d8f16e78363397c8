package io.interlock.benchmark.workload;

import io.interlock.Holder;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.engine.RunEngine;
import io.interlock.locks.Locks;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.RunQuery;
import io.interlock.run.RunSpec;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A store with little or much in it, opened in all the ways that steps need. Used by one thread. */
final class GrowthSide implements AutoCloseable {

    /** The job of runs that are claimed. */
    static final JobName WORK = new JobName("work");

    final RunStore store;
    final Locks locks;
    final RunEngine engine;
    private final Holder worker = new Holder(UUID.randomUUID().toString(), "worker");
    private final AtomicInteger fresh = new AtomicInteger();
    private Instant filledAt = Instant.EPOCH;
    private RunId known = new RunId(new UUID(0, 0));

    GrowthSide(PostgresAddress address) {
        store = (RunStore) Stores.open(address.storeUrl() + "?maxLease=1d&timeout=1m");
        locks = Locks.on(store);
        // Rounds of the janitor and of the sealer must not fall into the steps.
        engine = RunEngine.builder(store)
                .slots(0)
                .withoutBooks()
                .sweepEvery(Duration.ofHours(1))
                .build();
    }

    /** Seals what was filled in, by an engine that does so in the background. */
    void seal(Duration limit) throws InterruptedException {
        long until = System.nanoTime() + limit.toNanos();
        try (RunEngine sealing = RunEngine.builder(store).slots(0).build()) {
            while (!store.audit().unsealed(1).isEmpty() && System.nanoTime() < until) {
                sealing.capabilities();
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    /** Notes what steps look for, now that everything is filled in. */
    void filled() {
        filledAt = engine.queries().time();
        known = store.queries()
                .listRuns(RunQuery.ofTenant(LockKey.DEFAULT_TENANT).page(0, 1))
                .runs()
                .get(0)
                .id();
    }

    Instant filledAt() {
        return filledAt;
    }

    /** One of the past runs. */
    RunId knownRun() {
        return known;
    }

    /** A key that was not used before. */
    LockKey freshKey() {
        return LockKey.of("fresh/" + fresh.incrementAndGet());
    }

    /** Submits a run that a worker is to do. */
    void submitWork() {
        store.runs()
                .submit(List.of(SubmitRequest.of(
                        RunId.create(Clock.systemUTC(), ThreadLocalRandom.current()),
                        freshKey(),
                        RunSpec.of(WORK, "growth"))))
                .only();
    }

    ClaimRequest claimRequest(JobName job) {
        return new ClaimRequest(UUID.randomUUID(), worker, null, Set.of(job), 1);
    }

    /** Claims the run that was submitted before. */
    Claimed claim() {
        return store.work().claim(claimRequest(WORK)).get(0);
    }

    FinishRequest ending(Claimed claimed) {
        return new FinishRequest(
                claimed.run().id(),
                claimed.run().key(),
                claimed.lease().id(),
                claimed.lease().token(),
                new Ending.Succeeded(null));
    }

    @Override
    public void close() {
        engine.close();
        locks.close();
        store.close();
    }
}
