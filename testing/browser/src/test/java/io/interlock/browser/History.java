package io.interlock.browser;

import io.interlock.RunState;
import io.interlock.access.Role;
import io.interlock.engine.RunRequest;
import io.interlock.run.HoldTimes;
import io.interlock.run.JobName;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.Run;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunPeriod.Length;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A site with an hour of history: a key that five runs held one after the other, one of which lost its lease, and that
 * is held now with three runs queued; an overdue key; a paused one; a lease without a run; dead letters; a refused
 * request.
 */
final class History {

    static final String LEDGER = "ledger/nightly-close";
    static final String REINDEX = "search/reindex/products";
    static final String MONTH_END = "finance/month-end";
    static final String INVOICES = "invoices/export";
    static final String BILLING = "billing/export";

    private final Site site;
    final Run running;
    final Run waiting;
    final Run dead;
    final Run lost;

    /** Creates the history, and moves the time to the present. */
    History(Site site) {
        this.site = site;
        site.submit(LEDGER, "nightly-close", "nightly close");
        work(3, 5, "end");
        site.submit(LEDGER, "nightly-close", "month is over");
        Run behind = site.submit(LEDGER, "nightly-close", "once more");
        work(2, 3, "end");
        awaitState(behind, RunState.RUNNING);
        minutes(2);
        stage("extract");
        minutes(2);
        site.tell(LEDGER, "say reading line 88112", "fail line 88112: unexpected ';'");
        awaitState(behind, RunState.FAILED);
        minutes(2);
        lost = site.submit(LEDGER, "remote", "from the old scheduler");
        claim("remote", "worker-2");
        Run next = site.submit(LEDGER, "nightly-close", "nightly close");
        minutes(4);
        awaitState(next, RunState.RUNNING);
        work(1, 2, "end");
        dead = deadLetter("import/crm", "line 12: no such customer");
        deadLetter("import/erp", "connection refused");
        running = site.submit(LEDGER, "nightly-close", "nightly close");
        awaitState(running, RunState.RUNNING);
        minutes(1);
        site.tell(LEDGER, "say 20000 rows read");
        stage("extract");
        minutes(14);
        site.tell(LEDGER, "say 19874 rows kept, 126 dropped");
        stage("transform");
        waiting = site.submit(LEDGER, "nightly-close", "manual re-run");
        minutes(13);
        site.submit(LEDGER, "nightly-close", "ci");
        for (int i = 0; i < 3; i++) {
            site.send(
                    site.apiKey(Role.TRIGGER),
                    "runs",
                    new JsonObject().put("job", "import").put("key", LEDGER));
        }
        site.tell(LEDGER, "progress 62", "say writing to the ledger");
        stage("load");
        site.submit(REINDEX, "reindex", "new synonyms");
        claim("reindex", "worker-1");
        minutes(1);
        site.submit(LEDGER, "nightly-close", "nightly close");
        site.engine.pause(Site.TENANT, MONTH_END, "ops", "audit freeze", null);
        site.post(
                Role.WORKER,
                "locks/acquire",
                new JsonObject()
                        .put("key", INVOICES)
                        .put("leaseId", UUID.randomUUID().toString())
                        .put("ttl", "2h")
                        .put("holder", "ci@build-17"));
        site.engine
                .submit(RunRequest.of(Site.key(BILLING), "billing-export")
                        .reason("daily export")
                        .submitter("cron@ops")
                        .labels(Map.of("team", "finance")))
                .orElseThrow();
        site.tell(BILLING, "extract", "progress 8");
        site.time.arrive();
        counted();
        Patience.until(() -> !site.engine
                .queries()
                .refusals(Site.key(LEDGER), site.time.clock().instant().minus(Duration.ofHours(1)))
                .isEmpty());
    }

    /** A week in which minutes were counted, busier by day, with failures in the last twenty minutes. */
    private void counted() {
        Instant now = site.store.views().storeTime();
        List<RunPeriod> periods = new ArrayList<>();
        for (Length length : Length.values()) {
            Instant first = length.start(now).minus(length.kept().minus(length.time()));
            long minutes = length.time().toMinutes();
            for (Instant start = first; start.isBefore(now); start = start.plus(length.time())) {
                periods.add(RunPeriod.empty(RunPeriod.COUNTED, null, length, start));
                long ago = Duration.between(start, now).toMinutes();
                double busy = 1.2
                        + Math.sin(start.getEpochSecond() / 86_400.0 * 2 * Math.PI)
                        + 0.2 * Math.sin(start.getEpochSecond() / 240.0);
                for (JobName job : Arrays.asList(null, new JobName("nightly-close"))) {
                    periods.add(new RunPeriod(
                            Site.TENANT,
                            job,
                            length,
                            start,
                            Math.round(8 * busy * minutes),
                            ago < 20 ? 2 * minutes : 0,
                            start.getEpochSecond() / 60 % 17 < minutes ? 1 : 0,
                            ago < 30 ? 33 - ago : 4,
                            HoldTimes.of(Duration.ofSeconds(Math.round(200 + 60 * busy)))
                                    .plus(HoldTimes.of(Duration.ofSeconds(90)))));
                }
            }
        }
        site.store.notes().addPeriods(periods);
    }

    private void work(int first, int second, String end) {
        stage("extract");
        minutes(first);
        stage("load");
        minutes(second);
        site.tell(LEDGER, end);
    }

    /** Lets the work begin a stage, and waits until the store has it. */
    private void stage(String name) {
        site.tell(LEDGER, name);
        Patience.until(() -> site.engine
                .queries()
                .keys(new KeyQuery(Site.TENANT, LEDGER, null, 1))
                .get(0)
                .toString()
                .contains(name));
    }

    private Run deadLetter(String key, String why) {
        Run run = site.submit(key, "import", "hourly import");
        site.tell(key, "extract");
        minutes(1);
        site.tell(key, "again " + why, "extract", "again " + why);
        awaitState(run, RunState.DEAD);
        minutes(1);
        return run;
    }

    /** Claims a run as a worker of another process does, and sends no heartbeats. */
    private void claim(String job, String worker) {
        site.post(
                Role.WORKER,
                "claims",
                new JsonObject()
                        .put("claimId", UUID.randomUUID().toString())
                        .put("worker", worker)
                        .put("jobs", new JsonArray().add(job))
                        .put("max", 1)
                        .put("wait", "5s"));
    }

    private void awaitState(Run run, RunState state) {
        Patience.until(() -> site.engine.find(run.id()).orElseThrow().state() == state);
    }

    private void minutes(int minutes) {
        site.time.pass(Duration.ofMinutes(minutes));
    }
}
