package io.interlock.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.engine.Job;
import io.interlock.engine.command.InheritedEnvironment;
import io.interlock.engine.notify.Notification;
import io.interlock.engine.schedule.FireTimes;
import io.interlock.run.RetryPlan;
import io.interlock.run.Transition;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs as configuration. */
class JobsTest {

    @TempDir
    Path folder;

    private Written written = new Written(Path.of(""));

    @BeforeEach
    void prepare() {
        written = new Written(folder);
    }

    @Test
    void theDocumentOfTheContractIsRead() {
        Configuration all = written.read("""
                interlock:
                  store: sqlite:./interlock.db
                  jobs:
                    gcp_billing_export:
                      api: pipelines
                      run: { command: ["./export.sh", "--all, really"] }
                      on-conflict: join
                      lease: 30s
                      max-runtime: 1h
                      max-wait: PT10M
                      stages: [extract, transform, load]
                      stage-budgets: { load: 20m }
                      schedule: "0 3 * * *"
                      expiry-grace: 0s
                      retry: { attempts: 3, backoff: 5m, multiplier: 2, max-backoff: 30m, permanent-exit-codes: [64, 65] }
                      transition: { resource: cluster, from: [READY, FAILED], during: DESTROYING, success: DESTROYED, failure: FAILED }
                  tenants: { acme1281: { max-running: 20 } }
                  notify:
                    - { on: [dead-letter, lease-lost], url: "https://example.org/x", secret-file: /run/secret, tenant: acme1281 }
                    - { on: [overdue], command: [mail, ops] }
                """);
        JobSettings job = Written.job(all, "gcp_billing_export");
        assertThat(job.api()).isEqualTo(CompatApi.PIPELINES);
        assertThat(job.work())
                .isEqualTo(new Work.Command(
                        List.of("./export.sh", "--all, really"), null, InheritedEnvironment.ALL, Set.of(64, 65)));
        assertThat(job.job().policy()).isEqualTo(ConflictPolicy.JOIN);
        assertThat(job.job().terms().ttl()).isEqualTo(Duration.ofSeconds(30));
        assertThat(job.job().limits().maxRuntime()).isEqualTo(Duration.ofHours(1));
        assertThat(job.job().limits().maxWait()).isEqualTo(Duration.ofMinutes(10));
        assertThat(job.job().line().queueCap()).isEqualTo(1_000);
        assertThat(job.job().stages().keySet()).containsExactly("extract", "transform", "load");
        assertThat(job.job().budget("load")).contains(Duration.ofMinutes(20));
        assertThat(job.job().retry()).isEqualTo(new RetryPlan(3, Duration.ofMinutes(5), 2, Duration.ofMinutes(30)));
        assertThat(Optional.ofNullable(job.job().guard()).orElseThrow().from())
                .containsExactlyInAnyOrder("READY", "FAILED");
        assertThat(job.clock().orElseThrow().key()).isEqualTo(LockKey.of("default", "pipeline/gcp_billing_export"));
        assertThat(job.clock().orElseThrow().times().expression()).isEqualTo("0 3 * * *");
        assertThat(all.settings().tenants()).containsEntry("acme1281", 20);
        assertThat(all.settings().notifications())
                .extracting(InterlockSettings.NotifySettings::on)
                .containsExactly(
                        Set.of(Notification.Kind.DEAD_LETTER, Notification.Kind.LEASE_LOST),
                        Set.of(Notification.Kind.OVERDUE));
    }

    @Test
    void aStageMayHaveAnyName() {
        JobSettings job = written.job(
                "{ run: { worker: remote }, stages: [v1.2, 'a[0]', load], stage-budgets: { v1.2: 2m, 'a[0]': 3m } }");
        assertThat(job.job().stages().keySet()).containsExactly("v1.2", "a[0]", "load");
        assertThat(job.job().budget("v1.2")).contains(Duration.ofMinutes(2));
        assertThat(job.job().budget("a[0]")).contains(Duration.ofMinutes(3));
        assertThat(job.job().budget("load")).isEmpty();
    }

    @Test
    void aJobThatSaysNothingDoesAsItsDoorDoes() {
        assertThat(job("pipelines").policy()).isEqualTo(ConflictPolicy.JOIN);
        assertThat(job("pipelines").limits().maxRuntime()).isEqualTo(Duration.ofHours(1));
        assertThat(job("flows").policy()).isEqualTo(ConflictPolicy.SKIP);
        assertThat(job("flows").limits().maxRuntime()).isEqualTo(Duration.ofMinutes(5));
        assertThat(job("ingestion").policy()).isEqualTo(ConflictPolicy.REJECT);
        assertThat(job("ingestion").limits().maxRuntime()).isEqualTo(Duration.ofMinutes(5));
        assertThat(job("workflows").policy()).isEqualTo(ConflictPolicy.REJECT);
        assertThat(job("workflows").limits().maxRuntime()).isEqualTo(Duration.ofHours(1));
        assertThat(job("clusters").policy()).isEqualTo(ConflictPolicy.QUEUE);
        assertThat(job("clusters").limits().maxRuntime()).isNull();
        assertThat(job("clusters").limits().expiryGrace()).isEqualTo(Duration.ofMinutes(5));
        assertThat(job("clusters").retry())
                .isEqualTo(new RetryPlan(3, Duration.ofMinutes(5), 2, Duration.ofMinutes(30)));
        assertThat(job("none").policy()).isEqualTo(ConflictPolicy.REJECT);
        assertThat(job("none").limits().maxRuntime()).isNull();
        assertThat(job("none").retry().attempts()).isEqualTo(1);
    }

    @Test
    void aLockThatWaitsForAWorkerTimesOutAsOneThatRunsDoes() {
        assertThat(job("pipelines").limits().maxWait()).isEqualTo(Duration.ofHours(1));
        assertThat(job("flows").limits().maxWait()).isEqualTo(Duration.ofMinutes(5));
        assertThat(job("ingestion").limits().maxWait()).isEqualTo(Duration.ofMinutes(5));
        assertThat(job("workflows").limits().maxWait()).isEqualTo(Duration.ofHours(1));
        assertThat(job("clusters").limits().maxWait()).isNull();
        assertThat(job("none").limits().maxWait()).isNull();
        assertThat(written.job("{ api: pipelines, run: { worker: remote }, max-runtime: 60s }")
                        .job()
                        .limits()
                        .maxWait())
                .isEqualTo(Duration.ofMinutes(1));
        assertThat(written.job("{ api: pipelines, run: { worker: remote }, max-wait: 5s }")
                        .job()
                        .limits()
                        .maxWait())
                .isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void anAnswerOverHttpMayTakeAsLongAsTheWork() {
        assertThat(answerWithin("api: flows", "")).isEqualTo(Duration.ofMinutes(5));
        assertThat(answerWithin("api: flows, max-runtime: 90s", "")).isEqualTo(Duration.ofSeconds(90));
        assertThat(answerWithin("api: flows", ", timeout: 10s")).isEqualTo(Duration.ofSeconds(10));
        assertThat(answerWithin("max-runtime: 48h", "")).isEqualTo(Duration.ofHours(24));
        assertThat(answerWithin("api: none", "")).isEqualTo(Duration.ofSeconds(30));
        assertThat(answerWithin("api: clusters", "")).isEqualTo(Duration.ofHours(24));
        assertThat(written.mistakesOfJob(
                        "{ api: flows, run: { http: { url: 'https://example.org/x', timeout: 10m } } }"))
                .hasMessageContaining("jobs.a.run.http.timeout")
                .hasMessageContaining("'10m' is above max-runtime, which is 5m; remove it, or raise max-runtime");
    }

    private Duration answerWithin(String job, String http) {
        JobSettings read = written.job("{ " + job + ", run: { http: { url: 'https://example.org/x'" + http + " } } }");
        return ((Work.Http) read.work()).timeout();
    }

    @Test
    void aRefusedStartMayBeTriedAgain() {
        assertThat(written.job("{ run: { worker: remote }, conflict-retry: { attempts: 3 } }")
                        .job()
                        .conflictRetry())
                .isEqualTo(new Job.ConflictRetry(3, Duration.ofSeconds(5)));
        assertThat(job("none").conflictRetry().times()).isZero();
        assertThat(written.mistakesOfJob("{ run: { worker: remote }, conflict-retry: { attempts: 13, delay: 5s } }"))
                .hasMessageContaining("jobs.a.conflict-retry 13 × 5s is above 1m")
                .hasMessageContaining("on-conflict: queue");
    }

    @Test
    void anOutsideSystemMayBeAskedFirst() {
        assertThat(written.job(
                                "{ run: { command: [x], directory: /srv }, probe: { command: [./running.sh], every: 1m } }")
                        .probe())
                .isEqualTo(new JobSettings.Probe(
                        new Work.Command(List.of("./running.sh"), Path.of("/srv"), InheritedEnvironment.ALL, Set.of()),
                        Duration.ofMinutes(1)));
        assertThat(written.job("{ run: { command: [x] }, probe: { url: 'https://example.org/running' } }")
                        .probe())
                .extracting(JobSettings.Probe::question)
                .isEqualTo(
                        new Work.Http(URI.create("https://example.org/running"), Duration.ofSeconds(30), null, null));
        assertThat(written.mistakesOfJob("{ run: { worker: remote }, probe: { command: [x] } }"))
                .hasMessageContaining("jobs.a.probe is only for work of this process");
        assertThat(written.mistakesOfJob("{ run: { command: [x] }, probe: { command: [x], url: 'https://a.b/' } }"))
                .hasMessageContaining("has both command and url");
    }

    @Test
    void anEventThatFailsToBeIngestedAgainStaysWhereItStood() {
        assertThat(job("ingestion").guard())
                .isEqualTo(new Transition(
                        "event", Set.of("none", "laps_full"), "ingesting", "laps_full", Transition.PREVIOUS));
        assertThat(job("flows").guard()).isNull();
        assertThat(written.mistakesOfJob("""
                { api: ingestion, run: { worker: remote }, transition: { resource: event, from: [none, laps_full],
                      during: ingesting, success: laps_full, failure: none } }"""))
                .hasMessageContaining("jobs.a.transition.failure")
                .hasMessageContaining("'none' would move an event back from laps_full")
                .hasMessageContaining("write previous");
    }

    @Test
    void aWorkflowIsTriggeredByItsNameUnlessItNamesTriggers() {
        assertThat(written.job("{ api: workflows, run: { worker: remote } }").triggers())
                .isEqualTo(Map.of("a", 0));
        assertThat(written.job(
                                "{ api: workflows, run: { worker: remote }, triggers: [x, y], trigger-priorities: { y: -7 } }")
                        .triggers())
                .isEqualTo(Map.of("x", 0, "y", -7));
        assertThat(written.job("{ run: { worker: remote } }").triggers()).isEmpty();
    }

    @Test
    void aCommandSeesWhatTheConfigurationLetsThrough() {
        Configuration all = written.read("""
                interlock:
                  jobs:
                    inherits: { run: { command: ["./a"], environment: inherit, environment-allow: [PGPASSWORD] } }
                    clean: { run: { command: ["./b"], environment: clean, environment-allow: ["AWS_*"] } }
                """);
        assertThat(((Work.Command) Written.job(all, "inherits").work()).inherited())
                .isEqualTo(InheritedEnvironment.ALL.allowing(Set.of("PGPASSWORD")));
        assertThat(((Work.Command) Written.job(all, "clean").work()).inherited())
                .isEqualTo(InheritedEnvironment.CLEAN.allowing(Set.of("AWS_*")));
    }

    @Test
    void aScheduleMayNameItsKey() {
        JobSettings job = written.job("{ api: flows, run: { worker: remote }, schedule: '@daily',"
                + " schedule-key: flow/x/a, schedule-tenant: acme }");
        assertThat(job.clock().orElseThrow().key()).isEqualTo(LockKey.of("acme", "flow/x/a"));
    }

    @Test
    void aScheduleHasATimeZone() {
        JobSettings job =
                written.job("{ run: { worker: remote }, schedule: '30 2 * * *', schedule-zone: Europe/Berlin }");
        FireTimes times = job.clock().orElseThrow().times();
        assertThat(times.zone()).isEqualTo(ZoneId.of("Europe/Berlin"));
        assertThat(times.next(Instant.parse("2026-06-01T00:00:00Z"))).contains(Instant.parse("2026-06-01T00:30:00Z"));
        assertThat(written.mistakesOfJob("{ run: { worker: remote }, schedule: '@daily', schedule-zone: Berlin }"))
                .hasMessageContaining("schedule-zone 'Berlin' is not a known time zone");
    }

    @Test
    void windowsAreOfAJobsKeyOrOfNamedKeys() {
        Configuration all = written.read("""
                interlock:
                  maintenance:
                    - { no-start: ["22:00 - 06:00"], keys: ["etl/*", b], tenant: acme }
                  jobs:
                    a: { api: pipelines, run: { worker: remote }, no-start: ["Fri 18:00 - Mon 06:00 Europe/Berlin"] }
                """);
        assertThat(all.settings().windows())
                .extracting(each -> each.tenant() + " " + each.pattern() + " " + each.windows())
                .containsExactly(
                        "acme etl/* [22:00 - 06:00]",
                        "acme b [22:00 - 06:00]",
                        "default pipeline/a [Fri 18:00 - Mon 06:00 Europe/Berlin]");
        assertThat(written.mistakesOfJob("{ run: { worker: remote }, no-start: [weekends] }"))
                .hasMessageContaining("no-start 'weekends' is no maintenance window; write \"22:00 - 06:00\"");
        assertThat(written.mistakesOfJob("{ api: flows, run: { worker: remote }, no-start: ['22:00 - 06:00'] }"))
                .hasMessageContaining("schedule-key is missing");
        assertThat(written.mistakes("interlock:\n  maintenance:\n    - { keys: ['a*b'] }\n"))
                .hasMessageContaining("no-start is missing")
                .hasMessageContaining("must be a key's name, or end with its only *");
        assertThatThrownBy(() -> all.requireFor(false)).hasMessageContaining("no-start of etl/* needs runs");
    }

    @Test
    void slackNeedsNoSecret() {
        Configuration all = written.read(
                "interlock:\n  notify:\n    - { on: [overdue], format: slack, url: 'https://hooks.example/T/1' }\n");
        assertThat(all.settings().notifications().get(0).to())
                .isInstanceOf(InterlockSettings.NotifySettings.To.Slack.class)
                .hasToString("https://hooks.example/…");
        assertThat(written.mistakes("interlock:\n  notify:\n    - { on: [overdue], format: slack,"
                        + " url: 'https://hooks.example/T/1', secret: whsec_x }\n"))
                .hasMessageContaining("'slack' is not signed; remove the secret");
        assertThat(written.mistakes("interlock:\n  notify:\n    - { on: [overdue], format: slack, command: [x] }\n"))
                .hasMessageContaining("format is only for notifications that go to a url");
    }

    private Job job(String api) {
        return written.job("{ run: { worker: remote }, api: " + api + " }").job();
    }
}
