package io.interlock.tck;

import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.freshRun;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Submitting runs: policies and idempotency. */
interface SubmitContract extends RunContract {

    @ParameterizedTest
    @EnumSource
    default void onAFreeKeyEveryPolicyStarts(ConflictPolicy policy) {
        Run run = client().starts(key("free"), spec().policy(policy)).run();
        assertThat(run.state()).isEqualTo(RunState.PENDING);
        assertThat(client().run(run.id())).isEqualTo(run);
    }

    @Test
    default void aCallerHasItsLeaseAtOnce() {
        SubmitRequest.Caller caller = RunClient.caller();
        SubmitRequest request =
                SubmitRequest.of(freshRun(), key("mine"), spec()).by(caller);
        SubmitAnswer.Started started = as(SubmitAnswer.Started.class, client().submit(request));
        assertThat(started.run().state()).isEqualTo(RunState.RUNNING);
        LeaseRecord lease = started.granted().orElseThrow();
        assertThat(lease.id()).isEqualTo(caller.lease());
        assertThat(lease.holder().runId()).contains(request.id());
        SubmitAnswer again = client().submit(request);
        assertThat(as(SubmitAnswer.Started.class, again).granted().orElseThrow().token())
                .as("the same grant")
                .isEqualTo(lease.token());
    }

    @ParameterizedTest
    @EnumSource(names = {"REJECT", "SKIP"})
    default void aTakenKeyRefusesAndNamesTheIncumbent(ConflictPolicy policy) {
        Run incumbent = client().starts(key("busy"), spec()).run();
        Refusal reserved = client().refused(key("busy"), spec().policy(policy));
        assertThat(as(RunRefusal.Reserved.class, reserved).run()).isEqualTo(incumbent.id());
        client().claim();
        Refusal held = client().refused(key("busy"), spec().policy(policy));
        assertThat(as(Refusal.Held.class, held).current().holder().runId()).contains(incumbent.id());
        assertThat(client().store().queries().queue(key("busy"))).isEmpty();
    }

    @Test
    default void joiningGivesTheRunOfTheHolder() {
        Run incumbent = client().starts(key("shared"), spec()).run();
        SubmitAnswer pending = client().submit(key("shared"), spec().policy(ConflictPolicy.JOIN));
        assertThat(as(SubmitAnswer.Joined.class, pending).run().id()).isEqualTo(incumbent.id());
        client().claim();
        SubmitAnswer running = client().submit(key("shared"), spec().policy(ConflictPolicy.JOIN));
        assertThat(as(SubmitAnswer.Joined.class, running).run().id()).isEqualTo(incumbent.id());
    }

    @Test
    default void joiningABareLeaseIsRefused() {
        new Client(client().store()).take(key("bare"));
        assertThat(client().refused(key("bare"), spec().policy(ConflictPolicy.JOIN)))
                .isInstanceOf(Refusal.Held.class);
    }

    @Test
    default void theLatestSupersedesWhoOfItsJobWaits() {
        client().starts(key("latest"), spec());
        Run other = client().queues(
                        key("latest"), RunSpec.of(new JobName("other"), "bob").policy(ConflictPolicy.QUEUE))
                .run();
        Run old = client().queues(key("latest"), spec().policy(ConflictPolicy.QUEUE_LATEST))
                .run();
        Run young = client().queues(key("latest"), spec().policy(ConflictPolicy.QUEUE_LATEST))
                .run();
        client().ended(old.id(), RunState.ABORTED, "SUPERSEDED");
        assertThat(client().store().queries().queue(key("latest")))
                .extracting(Run::id)
                .containsExactly(other.id(), young.id());
    }

    @Test
    default void replacingAsksTheIncumbentToStopAndWaitsForIt() {
        client().starts(key("replace"), spec());
        Claimed incumbent = client().claim();
        Run next = client().queues(key("replace"), spec().policy(ConflictPolicy.REPLACE))
                .run();
        assertThat(client().run(incumbent.run().id()).status().stopRequest())
                .map(stop -> stop.code())
                .contains("SUPERSEDED");
        client().is(next.id(), RunState.QUEUED);
        client().failsForNow(incumbent);
        client().is(next.id(), RunState.PENDING);
        client().ended(incumbent.run().id(), RunState.ABORTED, "SUPERSEDED");
    }

    @Test
    default void replacingWhoHasNotStartedStartsAtOnce() {
        Run old = client().starts(key("replace-pending"), spec()).run();
        Run young = client().starts(key("replace-pending"), spec().policy(ConflictPolicy.REPLACE))
                .run();
        client().ended(old.id(), RunState.ABORTED, "SUPERSEDED");
        assertThat(client().claim().run().id()).isEqualTo(young.id());
    }

    @Test
    default void aFullLineRefuses() {
        client().starts(key("full"), spec());
        client().queues(key("full"), spec().policy(ConflictPolicy.QUEUE));
        SubmitRequest third = SubmitRequest.of(freshRun(), key("full"), spec().policy(ConflictPolicy.QUEUE))
                .within(new LineLimits(1, 100));
        Refusal refusal = as(SubmitAnswer.Refused.class, client().submit(third)).refusal();
        assertThat(as(RunRefusal.QueueFull.class, refusal).cap()).isEqualTo(1);
        assertThat(client().store().queries().findRun(third.id())).isEmpty();
    }

    @Test
    default void theSameIdIsTheSameRun() {
        SubmitRequest request = SubmitRequest.of(freshRun(), key("again"), spec());
        client().submit(request);
        assertThat(as(SubmitAnswer.Started.class, client().submit(request))
                        .run()
                        .id())
                .isEqualTo(request.id());
        client().succeeds(client().claim());
        assertThat(as(SubmitAnswer.Duplicate.class, client().submit(request))
                        .run()
                        .state())
                .isEqualTo(RunState.SUCCEEDED);
    }

    @Test
    default void anIdempotencyKeyIsOneRunPerTenant() {
        Run first = as(SubmitAnswer.Started.class, client().submit(known(key("a"), "order-1", "x")))
                .run();
        SubmitAnswer same = client().submit(known(key("b"), "order-1", "x"));
        assertThat(as(SubmitAnswer.Duplicate.class, same).run().id()).isEqualTo(first.id());
        SubmitAnswer other = client().submit(known(key("c"), "order-1", "y"));
        assertThat(as(SubmitAnswer.Mismatch.class, other).run().id()).isEqualTo(first.id());
        SubmitAnswer stranger = client().submit(known(LockKey.of("globex", "a"), "order-1", "y"));
        assertThat(stranger).isInstanceOf(SubmitAnswer.Started.class);
        advance(Duration.ofHours(25));
        assertThat(client().submit(known(key("d"), "order-1", "y"))).isInstanceOf(SubmitAnswer.Started.class);
    }

    @Test
    default void aRefusalUsesUpNoIdempotencyKey() {
        client().starts(key("e"), spec());
        assertThat(client().submit(known(key("e"), "order-2", "x"))).isInstanceOf(SubmitAnswer.Refused.class);
        client().succeeds(client().claim());
        assertThat(client().submit(known(key("e"), "order-2", "x"))).isInstanceOf(SubmitAnswer.Started.class);
    }

    private static SubmitRequest known(LockKey key, String name, String fingerprint) {
        return SubmitRequest.of(freshRun(), key, spec())
                .knownBy(new SubmitRequest.Idempotency(name, fingerprint, Duration.ofHours(24)));
    }
}
