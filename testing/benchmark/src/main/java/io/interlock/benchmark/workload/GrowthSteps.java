package io.interlock.benchmark.workload;

import io.interlock.LeaseQuery;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.AuditQuery;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.JobName;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.Retention;
import io.interlock.run.RunQuery;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Every step and listing that must not take longer where more is stored. */
final class GrowthSteps {

    private static final String TENANT = LockKey.DEFAULT_TENANT;
    private static final RunQuery RUNS = RunQuery.ofTenant(TENANT);
    private static final int PAGE = 50;
    private static final int SWEPT = 100;
    private static final JobName UNKNOWN = new JobName("unknown-job");

    private GrowthSteps() {}

    /** All of them by name, in order. */
    static Map<String, Step> all() {
        Map<String, Step> all = new LinkedHashMap<>();
        leases(all);
        runs(all);
        listings(all);
        audit(all);
        housekeeping(all);
        return all;
    }

    private static void leases(Map<String, Step> all) {
        all.put(
                "acquire-known-key",
                side -> timed(() ->
                        side.locks.tryAcquire(GrowthFill.key(11)).orElseThrow().release()));
        all.put("acquire-new-key", side -> {
            LockKey key = side.freshKey();
            return timed(() -> side.locks.tryAcquire(key).orElseThrow().release());
        });
        all.put("refusal", side -> timed(() -> side.locks.tryAcquire(GrowthFill.key(0))));
        all.put("find-lease", side -> timed(() -> side.locks.find(GrowthFill.key(0))));
        all.put(
                "list-leases",
                side -> timed(() -> side.locks.list(LeaseQuery.ofTenant(TENANT).limit(PAGE))));
    }

    private static void runs(Map<String, Step> all) {
        all.put("submit", side -> {
            long nanos = timed(side::submitWork);
            side.store.work().finish(List.of(side.ending(side.claim())));
            return nanos;
        });
        all.put("claim", side -> {
            side.submitWork();
            Claimed[] claimed = new Claimed[1];
            long nanos = timed(() -> claimed[0] = side.claim());
            side.store.work().finish(List.of(side.ending(claimed[0])));
            return nanos;
        });
        all.put("claim-nothing", side -> timed(() -> side.store.work().claim(side.claimRequest(UNKNOWN))));
        all.put("heartbeat", side -> {
            side.submitWork();
            Claimed claimed = side.claim();
            long nanos = timed(() -> side.store
                    .work()
                    .heartbeat(List.of(new HeartbeatRequest(
                            claimed.run().id(),
                            claimed.run().key(),
                            claimed.lease().id(),
                            claimed.lease().token(),
                            null,
                            null))));
            side.store.work().finish(List.of(side.ending(claimed)));
            return nanos;
        });
        all.put("finish", side -> {
            side.submitWork();
            Claimed claimed = side.claim();
            return timed(() -> side.store.work().finish(List.of(side.ending(claimed))));
        });
        all.put("find-run", side -> timed(() -> side.engine.find(side.knownRun())));
        all.put("attempts", side -> timed(() -> side.engine.attempts(side.knownRun())));
        all.put("queue", side -> timed(() -> side.engine.queue(GrowthFill.keyOfRuns())));
    }

    private static void listings(Map<String, Step> all) {
        listing(all, "list-queued", side -> RUNS.in(RunState.QUEUED));
        listing(all, "list-succeeded", side -> RUNS.in(RunState.SUCCEEDED).newestFirst());
        listing(all, "list-failed", side -> RUNS.in(RunState.FAILED).newestFirst());
        listing(all, "list-by-job", side -> RUNS.doing(GrowthFill.JOB).newestFirst());
        listing(all, "list-by-unknown-job", side -> RUNS.doing(UNKNOWN).newestFirst());
        listing(all, "list-since", side -> RUNS.since(side.filledAt()).newestFirst());
        listing(all, "list-since-oldest-first", side -> RUNS.since(side.filledAt()));
        listing(all, "list-by-key", side -> RUNS.of(GrowthFill.keyOfRuns()).newestFirst());
        all.put("keys-of-ui", side -> timed(() -> side.engine.queries().keys(new KeyQuery(TENANT, "", null, PAGE))));
        all.put(
                "keys-of-ui-by-prefix",
                side -> timed(() -> side.engine.queries().keys(new KeyQuery(TENANT, "filled/", null, PAGE))));
        all.put("tallies", side -> timed(() -> side.engine.queries().runCounts()));
        all.put(
                "dead-letters",
                side -> timed(() -> side.engine.deadLetters().list(new DeadLetterQuery(TENANT, null, true, 0, PAGE))));
        all.put("workers", side -> timed(() -> side.engine.queries().workers(TENANT, Duration.ofMinutes(1), PAGE)));
    }

    private static void audit(Map<String, Step> all) {
        auditing(all, "audit-newest", side -> AuditQuery.ofTenant(TENANT, PAGE));
        auditing(all, "audit-by-action", side -> new AuditQuery(TENANT, null, null, "submitted", null, 0, PAGE));
        auditing(all, "audit-by-rare-action", side -> new AuditQuery(TENANT, null, null, "evicted", null, 0, PAGE));
        auditing(
                all, "audit-by-key", side -> new AuditQuery(TENANT, GrowthFill.keyOfRuns(), null, null, null, 0, PAGE));
        auditing(all, "audit-by-run", side -> new AuditQuery(TENANT, null, side.knownRun(), null, null, 0, PAGE));
        auditing(all, "audit-since", side -> new AuditQuery(TENANT, null, null, null, side.filledAt(), 0, PAGE));
        all.put("audit-of-key", side -> timed(() -> side.engine.audit(GrowthFill.keyOfRuns())));
    }

    private static void housekeeping(Map<String, Step> all) {
        all.put("sweep-leases", side -> timed(() -> side.store.sweep(SWEPT)));
        all.put("sweep-runs", side -> timed(() -> side.store.upkeep().sweepRuns(SWEPT)));
        all.put("forget", side -> timed(() -> side.store.upkeep().forget(Retention.DEFAULT, SWEPT)));
    }

    private static void listing(Map<String, Step> all, String name, Query<RunQuery> query) {
        all.put(name, side -> timed(() -> side.engine.list(query.of(side).page(0, PAGE))));
    }

    private static void auditing(Map<String, Step> all, String name, Query<AuditQuery> query) {
        all.put(name, side -> timed(() -> side.engine.queries().audit(query.of(side))));
    }

    private static long timed(Work work) {
        long began = System.nanoTime();
        work.run();
        return System.nanoTime() - began;
    }

    /** Does a step once. */
    @FunctionalInterface
    interface Step {

        /** How many nanoseconds it took, without what had to be made ready for it. */
        long nanos(GrowthSide side);
    }

    private interface Query<Q> {
        Q of(GrowthSide side);
    }

    private interface Work {
        void run();
    }
}
