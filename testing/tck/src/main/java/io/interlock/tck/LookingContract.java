package io.interlock.tck;

import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.AuditRecord;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunQuery;
import io.interlock.run.RunQuery.RunPage;
import io.interlock.run.Wait;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Finding runs and audit records. */
interface LookingContract extends DeadLetterWords {

    @Test
    default void runsAreListedByWhatIsAskedFor() {
        Run first = client().starts(key("list"), spec()).run();
        client().succeeds(client().claim());
        advance(Duration.ofMinutes(1));
        Run second = client().starts(key("list"), spec()).run();
        Run third = client().starts(key("list-2"), spec()).run();
        client().starts(LockKey.of("globex", "list"), spec());
        RunQuery all = RunQuery.ofTenant("acme");
        assertThat(ids(all)).containsExactly(first.id(), second.id(), third.id());
        assertThat(ids(all.of(key("list")))).containsExactly(first.id(), second.id());
        assertThat(ids(all.in(RunState.SUCCEEDED))).containsExactly(first.id());
        assertThat(ids(all.onlyEnded())).containsExactly(first.id());
        assertThat(ids(all.onlyEnded().doing(first.job()))).containsExactly(first.id());
        assertThat(ids(all.onlyEnded().of(key("list-2")))).isEmpty();
        assertThat(ids(all.onlyEnded().in(RunState.PENDING))).isEmpty();
        assertThat(ids(all.onlyEnded().in(RunState.SUCCEEDED))).containsExactly(first.id());
        assertThat(ids(all.doing(new JobName("other")))).isEmpty();
        assertThat(ids(all.since(second.submittedAt()))).containsExactly(second.id(), third.id());
        assertThat(ids(all.until(second.submittedAt()))).containsExactly(first.id());
        Instant later = third.submittedAt().plusSeconds(3600);
        assertThat(ids(all.since(second.submittedAt()).until(later).newestFirst()))
                .containsExactly(third.id(), second.id());
        assertThat(ids(all.in(RunState.SUCCEEDED).until(first.submittedAt()))).isEmpty();
        RunPage page = client().store().queries().listRuns(all.page(0, 2));
        assertThat(page.runs()).hasSize(2);
        long cursor = page.cursor().orElseThrow();
        assertThat(ids(all.page(cursor, 2))).containsExactly(third.id());
        assertThat(client().store().queries().listRuns(all.page(cursor, 2)).cursor())
                .isEmpty();
        RunQuery newest = all.newestFirst();
        assertThat(ids(newest.page(0, 2))).containsExactly(third.id(), second.id());
        assertThat(ids(newest.page(second.number(), 2))).containsExactly(first.id());
    }

    @Test
    default void runsAreFoundByTheirLabelsWhateverLiesBetween() {
        RunQuery.Label eu = new RunQuery.Label("region", "eu");
        Run first = labelled("l-1", Map.of("region", "eu", "team", "a"));
        client().succeeds(client().claim());
        labelled("l-2", Map.of("region", "us"));
        client().succeeds(client().claim());
        Run second = labelled("l-1", Map.of("region", "eu"));
        Run third = labelled("l-3", Map.of("region", "eu", "eu", "region"));
        client().starts(key("l-4"), spec());
        client().starts(LockKey.of("globex", "l-1"), spec().labels(Map.of("region", "eu")));
        RunQuery all = RunQuery.ofTenant("acme").with(eu);
        assertThat(ids(all)).containsExactly(first.id(), second.id(), third.id());
        assertThat(ids(all.newestFirst())).containsExactly(third.id(), second.id(), first.id());
        assertThat(ids(all.of(key("l-1")))).containsExactly(first.id(), second.id());
        assertThat(ids(all.in(RunState.SUCCEEDED))).containsExactly(first.id());
        assertThat(ids(all.in(RunState.FAILED))).isEmpty();
        assertThat(ids(all.in(RunState.PENDING))).containsExactly(second.id(), third.id());
        assertThat(ids(all.onlyEnded())).containsExactly(first.id());
        assertThat(ids(all.doing(new JobName("other")))).isEmpty();
        assertThat(ids(all.since(first.submittedAt().plusSeconds(3600)))).isEmpty();
        assertThat(ids(all.until(first.submittedAt()))).isEmpty();
        RunPage page = client().store().queries().listRuns(all.newestFirst().page(0, 2));
        assertThat(page.runs()).extracting(Run::id).containsExactly(third.id(), second.id());
        assertThat(ids(all.newestFirst().page(page.cursor().orElseThrow(), 2))).containsExactly(first.id());
        assertThat(ids(all.with(new RunQuery.Label("region", "asia")))).isEmpty();
        assertThat(ids(all.with(new RunQuery.Label("team", "a")))).containsExactly(first.id());
    }

    @Test
    default void failedRunsAreFoundByWhenAndHowTheyFailed() {
        Ending broken = new Ending.Failed(RunClient.ERROR, false, null);
        client().starts(key("before"), spec());
        Run before = client().finished(client().claim(), broken);
        // Submitted long before it fails.
        client().starts(key("long"), spec().labels(Map.of("region", "eu")));
        Claimed longWork = client().claim();
        client().starts(key("other"), spec());
        Claimed otherWork = client().claim();
        Run stopped = client().starts(key("stopped"), spec()).run();
        advance(Duration.ofSeconds(5));
        client().store().runs().cancel(new CancelRequest(stopped.id(), Actor.of("carol"), "not needed"));
        Run late = client().finished(longWork, broken);
        Run other =
                client().finished(otherWork, new Ending.Failed(new RunError("EXIT_9", "it was killed"), false, null));
        Run settled = dies(key("settled"), spec());
        discard(settled.id());
        Run open = dies(key("open"), spec());
        Instant since = late.status().since();
        RunQuery all = RunQuery.ofTenant("acme").newestFirst();
        RunQuery failed = all.failing(new RunQuery.Failure(null, null, false));
        assertThat(ids(failed)).containsExactly(open.id(), settled.id(), other.id(), late.id(), before.id());
        assertThat(ids(failed.in(RunState.FAILED))).containsExactly(other.id(), late.id(), before.id());
        assertThat(ids(failed.in(RunState.ABORTED)))
                .as("a run that was stopped has not failed")
                .isEmpty();
        assertThat(ids(failed.in(RunState.RUNNING))).isEmpty();
        RunQuery lately = all.failing(new RunQuery.Failure(since, null, false));
        assertThat(ids(lately)).containsExactly(open.id(), settled.id(), other.id(), late.id());
        assertThat(ids(lately.page(0, 1))).containsExactly(open.id());
        assertThat(ids(lately.page(other.number(), 9))).containsExactly(late.id());
        assertThat(ids(lately.of(key("long")))).containsExactly(late.id());
        assertThat(ids(lately.in(RunState.DEAD))).containsExactly(open.id(), settled.id());
        RunQuery code = all.failing(new RunQuery.Failure(since, "EXIT_9", false));
        assertThat(ids(code)).containsExactly(other.id());
        assertThat(ids(code.doing(new JobName("unknown")))).isEmpty();
        assertThat(ids(all.failing(new RunQuery.Failure(null, RunClient.ERROR.code(), false))
                        .in(RunState.FAILED)))
                .containsExactly(late.id(), before.id());
        assertThat(ids(all.failing(new RunQuery.Failure(null, null, true)))).containsExactly(open.id());
        RunQuery eu = all.with(new RunQuery.Label("region", "eu"));
        assertThat(ids(eu.failing(new RunQuery.Failure(since, RunClient.ERROR.code(), false))))
                .containsExactly(late.id());
        assertThat(ids(eu.failing(new RunQuery.Failure(since.plusSeconds(1), null, false))))
                .isEmpty();
        assertThat(ids(eu.failing(new RunQuery.Failure(null, "EXIT_9", false)))).isEmpty();
        assertThat(ids(eu.failing(new RunQuery.Failure(null, null, true)))).isEmpty();
    }

    private Run labelled(String name, Map<String, String> labels) {
        return client().starts(key(name), spec().labels(labels)).run();
    }

    private List<RunId> ids(RunQuery query) {
        return client().store().queries().listRuns(query).runs().stream()
                .map(Run::id)
                .toList();
    }

    @Test
    default void whoWaitsIsToldWhy() {
        Run first = client().starts(key("why"), spec()).run();
        Claimed work = client().claim();
        advance(Duration.ofSeconds(20));
        client().succeeds(work);
        Run holder = client().starts(key("why"), spec()).run();
        Claimed second = client().claim();
        client().heartbeat(second, "copy");
        client().queues(key("why"), spec().policy(ConflictPolicy.QUEUE));
        Run waiting =
                client().queues(key("why"), spec().policy(ConflictPolicy.QUEUE)).run();
        advance(Duration.ofSeconds(5));
        Wait wait = client().store().queries().explain(waiting.id()).orElseThrow();
        assertThat(wait.sentence())
                .contains("number 2 in line", "run " + holder.id(), "has had it for 5s", "stage copy", "is alive");
        assertThat(wait.expectedWait().orElseThrow())
                .as("20 s for the run ahead, and 15 s for the holder")
                .isBetween(Duration.ofSeconds(33), Duration.ofSeconds(37));
        assertThat(client().store().queries().explain(first.id()))
                .as("it has ended")
                .isEmpty();
        assertThat(client().store().queries().explain(RunClient.freshRun())).isEmpty();
    }

    @Test
    default void whoWaitsForAHolderThatOutlivesPastRunsIsPromisedNothing() {
        client().starts(key("long"), spec());
        Claimed work = client().claim();
        advance(Duration.ofSeconds(5));
        client().succeeds(work);
        client().starts(key("long"), spec());
        client().claim();
        Run waiting = client().queues(key("long"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        assertThat(client().store()
                        .queries()
                        .explain(waiting.id())
                        .orElseThrow()
                        .expectedWait())
                .isPresent();
        advance(Duration.ofSeconds(10));
        Wait wait = client().store().queries().explain(waiting.id()).orElseThrow();
        assertThat(wait.expectedWait()).isEmpty();
        assertThat(wait.sentence()).contains("has had it for 10s", "longer than past runs took");
    }

    @Test
    default void everyChangeOfARunIsInTheLog() {
        Run run = client().starts(key("log"), spec()).run();
        Claimed work = client().claim();
        client().succeeds(work);
        List<AuditRecord> log = client().store().audit().records(key("log"));
        assertThat(log).extracting(AuditRecord::after).containsExactly("PENDING", "RUNNING", "SUCCEEDED");
        assertThat(log).allSatisfy(record -> assertThat(record.run()).isEqualTo(run.id()));
        assertThat(log.get(0).actor()).isEqualTo("alice");
        assertThat(log.get(2).actor()).isEqualTo(RunClient.WORKER.label());
        assertThat(log.get(2).token()).isEqualTo(work.lease().token());
    }

    @Test
    default void theLogSaysWhatARunBecomesWhenItComes() {
        client().starts(key("comes"), spec());
        client().queues(key("comes"), spec().policy(ConflictPolicy.QUEUE));
        client().submitted(SubmitRequest.of(RunClient.freshRun(), key("comes-itself"), spec())
                .by(RunClient.caller()));
        assertThat(client().store().audit().records(key("comes")))
                .extracting(record -> record.action() + " " + record.after())
                .containsExactly("submitted PENDING", "submitted QUEUED");
        assertThat(client().store().audit().records(key("comes-itself")))
                .extracting(record -> record.action() + " " + record.after())
                .containsExactly("submitted QUEUED", "run RUNNING");
    }

    @Test
    default void aRefusalIsNotInTheLog() {
        client().starts(key("refused"), spec());
        int before = client().store().audit().records(key("refused")).size();
        client().refused(key("refused"), spec().policy(ConflictPolicy.SKIP));
        assertThat(client().store().audit().records(key("refused"))).hasSize(before);
    }

    @Test
    default void whatChangesNothingWritesNothing() {
        Run first = client().starts(key("looked-at"), spec()).run();
        SubmitRequest known = SubmitRequest.of(first.id(), key("looked-at"), spec());
        client().claim();
        client().queues(key("looked-at"), spec().policy(ConflictPolicy.QUEUE));
        RunClient other = bench().anotherClient();
        assertThat(bench().harness().writesNothing(() -> {
                    for (ConflictPolicy policy :
                            Set.of(ConflictPolicy.REJECT, ConflictPolicy.SKIP, ConflictPolicy.JOIN)) {
                        other.submit(key("looked-at"), spec().policy(policy));
                    }
                    other.submit(known);
                    other.submit(SubmitRequest.of(
                                    RunClient.freshRun(), key("looked-at"), spec().policy(ConflictPolicy.QUEUE))
                            .within(new LineLimits(1, 1)));
                    new Client(other.store()).refusal(key("looked-at"));
                    assertThat(other.claim(5)).isEmpty();
                    assertThat(other.store().upkeep().sweepRuns(10)).isEmpty();
                    assertThat(other.store().queries().queue(key("looked-at"))).hasSize(1);
                }))
                .isTrue();
    }

    @Test
    default void takingABareLeaseByForceIsInTheLogOnce() {
        LeaseRecord lease = new Client(client().store()).take(key("forced"));
        EvictRequest request = new EvictRequest(key("forced"), lease.token(), "carol", "stuck");
        client().store().evict(request);
        client().store().evict(request);
        AuditRecord record = client().store().audit().records(key("forced")).get(0);
        assertThat(client().store().audit().records(key("forced"))).hasSize(1);
        assertThat(record.action() + " by " + record.actor() + ": " + record.reason())
                .isEqualTo("evicted by carol: stuck");
        assertThat(record.token()).isEqualTo(lease.token());
    }

    @Test
    default void pausesAreInTheLogOfTheirPattern() {
        client().store().runs().pause(new PauseRequest("acme", "log/*", "carol", "upgrade", null));
        client().store().runs().resume(new ResumeRequest("acme", "log/*", "dave", "done"));
        assertThat(client().store().audit().records(key("log/*")))
                .extracting(record -> record.action() + " by " + record.actor())
                .containsExactly("paused by carol", "resumed by dave");
    }

    @Test
    default void thePauseOfALogNamesItsEnd() {
        Pause timed =
                client().store().runs().pause(new PauseRequest("acme", "timed", "carol", "lunch", Duration.ofHours(1)));
        client().store().runs().pause(new PauseRequest("acme", "open", "carol", "upgrade", null));
        assertThat(client().store().audit().records(key("timed")))
                .singleElement()
                .satisfies(record -> {
                    assertThat(record.at()).isEqualTo(timed.since());
                    assertThat(Pause.endIn(record)).isEqualTo(timed.end()).isPresent();
                });
        assertThat(client().store().audit().records(key("open")))
                .singleElement()
                .satisfies(record -> assertThat(Pause.endIn(record)).isEmpty());
    }
}
