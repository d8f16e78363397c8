package io.interlock.metrics;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.JobName;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunSpec.Execution;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The Prometheus output after events of a real engine. */
@Timeout(30)
class InterlockMetersTest {

    private static final LockKey KEY = LockKey.of("acme", "ledger");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final CountDownLatch go = new CountDownLatch(1);
    private InterlockMeters meters = InterlockMeters.on(registry);
    private RunEngine engine = RunEngine.on(new MemoryStore(Environment.system()), Jobs.of());

    @AfterEach
    void close() {
        go.countDown();
        meters.close();
        engine.close();
    }

    @Test
    void acquisitionsAreCountedByWhatCameOfThem() {
        start(waiting());
        var first = engine.submit(RunRequest.of(KEY, "close")).orElseThrow();
        await().until(() -> engine.find(first.id()).orElseThrow().state() == RunState.RUNNING);
        engine.submit(RunRequest.of(KEY, "close").onConflict(ConflictPolicy.JOIN));
        engine.submit(RunRequest.of(KEY, "close").onConflict(ConflictPolicy.SKIP));
        engine.submit(RunRequest.of(KEY, "close").onConflict(ConflictPolicy.QUEUE));
        assertThat(engine.submit(RunRequest.of(KEY, "close"))).isInstanceOf(Submission.Rejected.class);
        shows("interlock_acquisitions_total{job=\"close\",outcome=\"started\",reason=\"none\"} 1.0");
        shows("interlock_acquisitions_total{job=\"close\",outcome=\"joined\",reason=\"none\"} 1.0");
        shows("interlock_acquisitions_total{job=\"close\",outcome=\"skipped\",reason=\"held\"} 1.0");
        shows("interlock_acquisitions_total{job=\"close\",outcome=\"queued\",reason=\"none\"} 1.0");
        shows("interlock_acquisitions_total{job=\"close\",outcome=\"rejected\",reason=\"held\"} 1.0");
    }

    @Test
    void whatWaitsAndRunsIsShownWithItsAge() {
        start(waiting());
        engine.submit(RunRequest.of(KEY, "close"));
        engine.submit(RunRequest.of(KEY, "close").onConflict(ConflictPolicy.QUEUE));
        shows("interlock_active{job=\"close\"} 1.0");
        shows("interlock_queue_size{job=\"close\"} 1.0");
        shows("interlock_dead_letters{job=\"close\"} 0.0");
        shows("interlock_queue_oldest_age_seconds{job=\"close\"} ");
        shows("interlock_stock_age_seconds ");
        shows("interlock_build_info{version=");
    }

    @Test
    void holdWaitRunAndStageAreTimed() {
        start(Job.named("close")
                .stage("load")
                .stage("tell")
                .maxRuntime(Duration.ofHours(2))
                .handler(run -> {
                    run.stage("load");
                    run.stage("what ever");
                    return null;
                })
                .build());
        ends(RunState.SUCCEEDED);
        shows("interlock_hold_seconds_count{job=\"close\",outcome=\"succeeded\"} 1");
        shows("interlock_wait_seconds_count{job=\"close\"} 1");
        shows("interlock_run_seconds_count{job=\"close\",outcome=\"succeeded\"} 1");
        shows("interlock_runs_total{job=\"close\",outcome=\"succeeded\"} 1.0");
        shows("interlock_stage_seconds_count{job=\"close\",stage=\"load\"} 1");
        // An undeclared stage has no series of its own.
        shows("interlock_stage_seconds_count{job=\"close\",stage=\"_other\"} 1");
        shows("interlock_job_max_runtime_seconds{job=\"close\"} 7200.0");
        shows("interlock_heartbeat_seconds_count{outcome=\"answered\"}", "interlock_store_operation_seconds_count");
        shows("interlock_store_operation_seconds_count{operation=\"finish\",outcome=\"answered\"} 1");
    }

    @Test
    void attemptsThatFailAndDeadLettersAreCounted() {
        start(Job.named("close")
                .retry(new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO))
                .handler(run -> {
                    throw new IllegalStateException("away");
                })
                .build());
        ends(RunState.DEAD);
        shows("interlock_hold_seconds_count{job=\"close\",outcome=\"retried\"} 1");
        shows("interlock_hold_seconds_count{job=\"close\",outcome=\"dead\"} 1");
        shows("interlock_runs_total{job=\"close\",outcome=\"dead\"} 1.0");
        shows("interlock_dead_letters{job=\"close\"} 1.0");
    }

    @Test
    void aTimeoutIsCountedWithItsStage() {
        start(Job.named("close")
                .stage("load")
                .maxRuntime(Duration.ofSeconds(1))
                .handler(run -> {
                    run.stage("load");
                    go.await();
                    return null;
                })
                .build());
        ends(RunState.TIMED_OUT);
        shows("interlock_timeouts_total{job=\"close\",stage=\"load\"} 1.0");
    }

    @Test
    void tenantsAreToldApartUpToTheCapAndTheRestTogether() {
        meters = InterlockMeters.byTenant(registry, 2);
        start(Job.named("close").handler(run -> null).build());
        for (String tenant : new String[] {"acme", "globex", "initech", "umbrella"}) {
            engine.submit(RunRequest.of(LockKey.of(tenant, "ledger"), "close"));
        }
        shows("interlock_runs_total{job=\"close\",outcome=\"succeeded\",tenant=\"acme\"} 1.0");
        shows("interlock_runs_total{job=\"close\",outcome=\"succeeded\",tenant=\"globex\"} 1.0");
        shows("interlock_runs_total{job=\"close\",outcome=\"succeeded\",tenant=\"_other\"} 2.0");
        shows("interlock_metrics_tag_overflow_total{tag=\"tenant\"} ");
        shows("interlock_hold_seconds_count{job=\"close\",outcome=\"succeeded\",tenant=\"acme\"} 1");
        shows("interlock_wait_seconds_count{job=\"close\",tenant=\"_other\"} 2");
        assertThat(registry.scrape())
                .as("each stage has many series already, so they have no tenant")
                .doesNotContainPattern("stage_seconds_bucket\\{[^}]*tenant=");
    }

    @Test
    void whatACrashEndedIsCountedThoughNoWorkerReportsIt() {
        start(Job.named("close")
                .lease(Duration.ofSeconds(2))
                .retry(new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO))
                .build());
        var run = engine.submit(RunRequest.of(KEY, "close")).orElseThrow();
        claimed();
        // A request for the key detects it, not a janitor.
        await().until(() -> {
            assertThat(engine.submit(RunRequest.of(KEY, "close"))).isInstanceOf(Submission.Rejected.class);
            return engine.find(run.id()).orElseThrow().state() == RunState.PENDING;
        });
        shows("interlock_endings_by_rule_total{code=\"WORKER_TIMEOUT\",job=\"close\",outcome=\"retried\"} 1.0");
        shows("interlock_hold_seconds_count{job=\"close\",outcome=\"retried\"} 1");
        claimed();
        await().until(() -> {
            engine.submit(RunRequest.of(KEY, "close").onConflict(ConflictPolicy.SKIP));
            return engine.find(run.id()).orElseThrow().state() == RunState.DEAD;
        });
        shows("interlock_endings_by_rule_total{code=\"WORKER_TIMEOUT\",job=\"close\",outcome=\"dead\"} 1.0");
        shows("interlock_hold_seconds_count{job=\"close\",outcome=\"dead\"} 1");
        shows("interlock_runs_total{job=\"close\",outcome=\"dead\"} 1.0");
    }

    @Test
    void whatForceOrAnotherRunEndedIsCounted() {
        start(Job.named("close").build());
        engine.submit(RunRequest.of(KEY, "close")).orElseThrow();
        Claimed work = claimed();
        engine.evict(KEY, work.lease().token(), "ann", "stuck");
        shows("interlock_endings_by_rule_total{code=\"EVICTED\",job=\"close\",outcome=\"aborted\"} 1.0");
        shows("interlock_hold_seconds_count{job=\"close\",outcome=\"aborted\"} 1");
        shows("interlock_runs_total{job=\"close\",outcome=\"aborted\"} 1.0");
        LockKey other = LockKey.of("acme", "replaced");
        engine.submit(RunRequest.of(other, "close")).orElseThrow();
        var pending = engine.submit(RunRequest.of(other, "close").onConflict(ConflictPolicy.REPLACE))
                .orElseThrow();
        shows("interlock_endings_by_rule_total{code=\"SUPERSEDED\",job=\"close\",outcome=\"aborted\"} 1.0");
        shows("interlock_runs_total{job=\"close\",outcome=\"aborted\"} 2.0");
        engine.cancel(pending.id(), "ann", "not needed");
        shows("interlock_runs_total{job=\"close\",outcome=\"aborted\"} 3.0");
    }

    @Test
    void aRemoteWorkerThatTakesTooLongIsCountedAsTimedOut() {
        start(Job.named("close")
                .stage("load")
                .lease(Duration.ofSeconds(2))
                .maxRuntime(Duration.ofSeconds(2))
                .build());
        var run = engine.submit(RunRequest.of(KEY, "close")).orElseThrow();
        Claimed work = claimed();
        // It sends heartbeats until one is refused because its max runtime is over.
        RemoteWork.Proof proof = new RemoteWork.Proof(
                run.id(), KEY, work.lease().id(), work.lease().token());
        await().until(() -> !(engine.remote()
                        .heartbeat(proof, "load", null)
                        .toCompletableFuture()
                        .join()
                instanceof HeartbeatAnswer.Beating));
        await().until(() -> {
            engine.submit(RunRequest.of(KEY, "close").onConflict(ConflictPolicy.SKIP));
            return engine.find(run.id()).orElseThrow().state() == RunState.TIMED_OUT;
        });
        shows("interlock_timeouts_total{job=\"close\",stage=\"load\"} 1.0");
        shows("interlock_endings_by_rule_total{code=\"MAX_RUNTIME\",job=\"close\",outcome=\"timed_out\"} 1.0");
        shows("interlock_runs_total{job=\"close\",outcome=\"timed_out\"} 1.0");
    }

    @Test
    void aRunNoWorkerTakesIsShownAsPendingAndCountedWhenItsWaitIsOver() {
        start(Job.named("close").maxWait(Duration.ofSeconds(2)).build());
        engine.submit(RunRequest.of(KEY, "close"));
        shows("interlock_pending{job=\"close\"} 1.0", "interlock_queue_size{job=\"close\"} 1.0");
        shows("interlock_active{job=\"close\"} 0.0");
        await().until(() -> {
            engine.janitor().runOnce();
            return registry.scrape().contains("interlock_endings_by_rule_total{code=\"NO_WORKER\"");
        });
        shows("interlock_runs_total{job=\"close\",outcome=\"failed\"} 1.0");
    }

    /** Claimed by a worker that sends nothing more, unless the test does. */
    private Claimed claimed() {
        return engine.remote()
                .claim(
                        new RemoteWork.Claim(
                                UUID.randomUUID(),
                                new Holder("gone", "worker-3"),
                                KEY.tenant(),
                                Set.of(new JobName("close")),
                                1),
                        Duration.ofSeconds(10))
                .toCompletableFuture()
                .join()
                .get(0);
    }

    @Test
    void jobsNobodyConfiguredAreToldApartUpToACapAndKeysNever() {
        start(waiting());
        for (int i = 0; i < 80; i++) {
            Submission started = engine.submit(RunRequest.of(LockKey.of("acme", "key-" + i), "made-up-" + i)
                    .execution(Execution.CALLER));
            // Otherwise closing the engine would wait for running work.
            requireNonNull(((Submission.Started) started).work()).close();
        }
        shows("interlock_acquisitions_total{job=\"_other\",outcome=\"started\",reason=\"none\"} ");
        String text = registry.scrape();
        assertThat(text.lines().filter(line -> line.startsWith("interlock_acquisitions_total{")))
                .hasSizeLessThanOrEqualTo(52);
        assertThat(text).doesNotContain("key-1");
    }

    @Test
    void aStaleTokenIsCounted() {
        var store = new MemoryStore(Environment.system());
        var metered = meters.around(store);
        var lease = LeaseId.random(Environment.system().random());
        metered.release(List.of(new ReleaseRequest(KEY, lease, new FencingToken(7))));
        shows("interlock_token_rejected_total{cause=\"gone\",step=\"release\"} 1.0");
    }

    @Test
    void aCapThatMakesNoSenseIsRefused() {
        assertThatThrownBy(() -> InterlockMeters.byTenant(registry, 0))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("from 1 to 10000");
    }

    private Job waiting() {
        return Job.named("close")
                .handler(run -> {
                    go.await();
                    return null;
                })
                .build();
    }

    private void start(Job job) {
        engine.close();
        engine = RunEngine.builder(meters.around(new MemoryStore(Environment.system())))
                .jobs(Jobs.of(job))
                .drainTime(Duration.ZERO)
                .sweepEvery(Duration.ofHours(1))
                .listener(meters.listener())
                .build();
        meters.watch(engine, Environment.system(), Duration.ofMillis(100));
    }

    private void ends(RunState state) {
        var run = engine.submit(RunRequest.of(KEY, "close")).orElseThrow();
        await().until(() -> engine.find(run.id()).orElseThrow().state() == state);
    }

    private void shows(String... beginnings) {
        await().untilAsserted(() -> {
            for (String beginning : beginnings) {
                assertThat(registry.scrape().lines()).anyMatch(line -> line.startsWith(beginning));
            }
        });
    }
}
