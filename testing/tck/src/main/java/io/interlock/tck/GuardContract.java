package io.interlock.tck;

import static io.interlock.tck.RunClient.ERROR;
import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.LeaseRecord;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Ending;
import io.interlock.run.Resource;
import io.interlock.run.Resource.ResourceAnswer;
import io.interlock.run.Resource.ResourceQuery;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunQuery;
import io.interlock.run.RunSpec;
import io.interlock.run.Transition;
import io.interlock.run.Wait;
import io.interlock.spi.run.RunSteps.ResourceRequest;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs that change a resource along declared states. */
interface GuardContract extends RunContract {

    private static RunSpec create() {
        return spec().guard(new Transition("cluster", Set.of(Resource.UNTOUCHED), "CREATING", "READY", "BROKEN"));
    }

    private static RunSpec destroy() {
        return spec().guard(new Transition("cluster", Set.of("READY"), "DESTROYING", "GONE", "BROKEN"));
    }

    private Resource resource(String name) {
        return client().store().queries().resource(key(name)).orElseThrow();
    }

    @Test
    default void theResourceMovesWithTheLock() {
        Run run = client().starts(key("cluster"), create()).run();
        assertThat(client().store().queries().resource(key("cluster"))).isEmpty();
        Claimed work = client().claim();
        assertThat(resource("cluster").state()).isEqualTo("CREATING");
        assertThat(resource("cluster").owningRun()).contains(run.id());
        client().succeeds(work);
        assertThat(resource("cluster").state()).isEqualTo("READY");
        assertThat(resource("cluster").owningRun()).isEmpty();
        assertThat(resource("cluster").version()).isEqualTo(2);
    }

    @Test
    default void aFailureLeavesTheFailureState() {
        client().starts(key("broken"), create());
        client().finished(client().claim(), new Ending.Failed(ERROR, false, null));
        assertThat(resource("broken").state()).isEqualTo("BROKEN");
    }

    @Test
    default void aFailureMayLeaveTheResourceWhereItStood() {
        RunSpec again = spec().guard(new Transition(
                        "event", Set.of(Resource.UNTOUCHED, "FULL"), "LOADING", "FULL", Transition.PREVIOUS))
                .retry(new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO));
        client().starts(key("event"), again);
        client().finished(client().claim(), new Ending.Failed(ERROR, false, null));
        assertThat(resource("event").state()).isEqualTo(Resource.UNTOUCHED);
        assertThat(resource("event").settledAt()).isNull();
        client().starts(key("event"), again);
        client().succeeds(client().claim());
        Resource full = resource("event");
        assertThat(full.state()).isEqualTo("FULL");
        assertThat(full.settledAt()).isNotNull();

        advance(Duration.ofMinutes(1));
        client().starts(key("event"), again);
        Claimed first = client().claim();
        assertThat(resource("event").settledState())
                .as("while it is loaded again")
                .isEqualTo("FULL");
        assertThat(resource("event").settledAt()).isEqualTo(full.settledAt());
        client().finished(first, new Ending.Failed(ERROR, true, null));
        assertThat(resource("event").state()).as("between two attempts").isEqualTo("LOADING");
        client().finished(client().claim(), new Ending.Failed(ERROR, true, null));
        assertThat(resource("event").state()).isEqualTo("FULL");
        assertThat(resource("event").settledAt()).isEqualTo(full.settledAt());
        assertThat(client().store().queries().resources(ResourceQuery.ofKind("event")))
                .filteredOn(found -> found.key().equals(key("event")))
                .containsExactly(resource("event"));
    }

    @Test
    default void aWrongStateIsRefusedWithCurrentAndAllowed() {
        Refusal refusal = client().refused(key("early"), destroy());
        RunRefusal.WrongState wrong = as(RunRefusal.WrongState.class, refusal);
        assertThat(wrong.state()).isEqualTo(Resource.UNTOUCHED);
        assertThat(wrong.allowed()).containsExactly("READY");
    }

    @Test
    default void ofThreeDestroysOneRunsAndTheOthersMeetTheNewState() {
        client().starts(key("three"), create());
        client().succeeds(client().claim());
        client().starts(key("three"), destroy());
        Run second = client().queues(key("three"), destroy().policy(ConflictPolicy.QUEUE))
                .run();
        Run third = client().queues(key("three"), destroy().policy(ConflictPolicy.QUEUE))
                .run();
        client().succeeds(client().claim());
        client().ended(second.id(), RunState.FAILED, "WRONG_STATE");
        client().ended(third.id(), RunState.FAILED, "WRONG_STATE");
        assertThat(resource("three").state()).isEqualTo("GONE");
    }

    @Test
    default void aResourceIsSetByWhoSawItsVersion() {
        ResourceAnswer made = set("set", "READY", 0);
        assertThat(as(ResourceAnswer.Changed.class, made).resource().version()).isEqualTo(1);
        assertThat(set("set", "GONE", 0)).isInstanceOf(ResourceAnswer.Mismatch.class);
        client().starts(key("set"), destroy());
        Claimed work = client().claim();
        assertThat(set("set", "READY", 2)).as("a run owns it").isInstanceOf(ResourceAnswer.Mismatch.class);
        client().succeeds(work);
        assertThat(set("set", "READY", 3)).isInstanceOf(ResourceAnswer.Changed.class);
        assertThat(resource("set").state()).isEqualTo("READY");
    }

    @Test
    default void aResourceMayBeSetOnlyWhileItsKeyIsFree() {
        set("free", "READY", 0);
        client().starts(key("free"), spec());
        assertThat(setIfFree("free", 1)).as("kept for a run").isInstanceOf(ResourceAnswer.Mismatch.class);
        Claimed work = client().claim();
        assertThat(setIfFree("free", 1))
                .as("a run without a guard has the key")
                .isInstanceOf(ResourceAnswer.Mismatch.class);
        client().succeeds(work);
        assertThat(setIfFree("free", 1)).isInstanceOf(ResourceAnswer.Changed.class);
        assertThat(resource("free").state()).isEqualTo("MENDED");
    }

    private ResourceAnswer setIfFree(String name, long version) {
        return client().store()
                .runs()
                .setResource(new ResourceRequest(
                        key(name), "cluster", "MENDED", version, Actor.of("carol"), "looked at it", true));
    }

    @Test
    default void aRunThatWaitsForAWorkerMeetsTheStateThatWasSetMeanwhile() {
        set("meanwhile", "READY", 0);
        Run run = client().starts(key("meanwhile"), destroy()).run();
        set("meanwhile", "BROKEN", 1);
        assertThat(client().claim(1)).isEmpty();
        client().ended(run.id(), RunState.FAILED, "WRONG_STATE");
    }

    private ResourceAnswer set(String name, String state, long version) {
        return client().store()
                .runs()
                .setResource(new ResourceRequest(key(name), "cluster", state, version, "carol", "made it"));
    }

    @Test
    default void aCallerWhoseTurnComesInTheWrongStateHearsThatItIsOver() {
        set("turn", "READY", 0);
        LeaseRecord lease = new Client(client().store()).take(key("turn"));
        SubmitRequest.Caller caller = RunClient.caller();
        Run waiting = client().submitted(SubmitRequest.of(
                        RunClient.freshRun(), key("turn"), destroy().policy(ConflictPolicy.QUEUE))
                .by(caller));
        new Client(client().store()).release(lease);
        advance(Duration.ofSeconds(6));
        client().store().upkeep().sweepRuns(10);
        set("turn", "BROKEN", 1);
        TurnAnswer.Over over = as(TurnAnswer.Over.class, client().takeTurn(waiting, caller));
        client().ended(waiting.id(), RunState.FAILED, "WRONG_STATE");
        assertThat(over.current()).contains(client().run(waiting.id()));
    }

    @Test
    default void aTurnThatWasOfferedIsNotGrantedFromAStateThatWasSetMeanwhile() {
        set("offer", "READY", 0);
        LeaseRecord lease = new Client(client().store()).take(key("offer"));
        SubmitRequest.Caller caller = RunClient.caller();
        Run waiting = client().submitted(SubmitRequest.of(
                        RunClient.freshRun(), key("offer"), destroy().policy(ConflictPolicy.QUEUE))
                .by(caller));
        Run next = client().queues(key("offer"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        new Client(client().store()).release(lease);
        client().store().upkeep().sweepRuns(10);
        set("offer", "BROKEN", 1);
        TurnAnswer.Over over = as(TurnAnswer.Over.class, client().takeTurn(waiting, caller));
        client().ended(waiting.id(), RunState.FAILED, "WRONG_STATE");
        assertThat(over.current()).contains(client().run(waiting.id()));
        assertThat(resource("offer").state()).isEqualTo("BROKEN");
        assertThat(client().claim().run().id()).isEqualTo(next.id());
    }

    @Test
    default void betweenAttemptsTheResourceIsItsRuns() {
        Run run = client().starts(
                        key("own"), create().retry(new RetryPlan(2, Duration.ofMinutes(1), 1, Duration.ofMinutes(1))))
                .run();
        client().failsForNow(client().claim());
        assertThat(resource("own").state()).isEqualTo("CREATING");
        assertThat(resource("own").owningRun()).contains(run.id());
        Run other = client().queues(key("own"), destroy().policy(ConflictPolicy.QUEUE))
                .run();
        assertThat(client().claim(1)).isEmpty();
        advance(Duration.ofSeconds(61));
        Claimed again = client().claim();
        assertThat(again.run().id()).isEqualTo(run.id());
        client().succeeds(again);
        client().is(other.id(), RunState.PENDING);
    }

    @Test
    default void whoWaitsForAResourceThatARestingRunMovesIsToldSo() {
        RetryPlan twice = new RetryPlan(2, Duration.ofHours(1), 1, Duration.ofHours(1));
        Run mover = client().starts(key("moved"), create().retry(twice)).run();
        client().failsForNow(client().claim());
        Run urgent = client().queues(
                        key("moved"), create().policy(ConflictPolicy.QUEUE).priority(9))
                .run();
        Wait wait = client().store().queries().explain(urgent.id()).orElseThrow();
        assertThat(wait.sentence()).contains(mover.id().toString()).doesNotContain("nothing prevents its start");
        assertThat(client().store().queries().explain(mover.id()).orElseThrow().sentence())
                .as("it only waits for its own delay")
                .contains("it rests for");
    }

    @ParameterizedTest
    @EnumSource(names = {"QUEUE_LATEST", "REPLACE"})
    default void whoTakesThePlaceOfARestingRunTakesOverItsResource(ConflictPolicy policy) {
        RetryPlan twice = new RetryPlan(2, Duration.ofHours(1), 1, Duration.ofHours(1));
        Run old = client().starts(key("taken-over"), create().retry(twice)).run();
        client().failsForNow(client().claim());
        assertThat(resource("taken-over").owningRun()).contains(old.id());
        Run next =
                client().submitted(SubmitRequest.of(RunClient.freshRun(), key("taken-over"), create().policy(policy)));
        client().ended(old.id(), RunState.ABORTED, "SUPERSEDED");
        assertThat(resource("taken-over").owningRun()).contains(next.id());
        assertThat(resource("taken-over").state()).isEqualTo("CREATING");
        Claimed work = client().claim();
        assertThat(work.run().id()).isEqualTo(next.id());
        client().succeeds(work);
        assertThat(resource("taken-over").state()).isEqualTo("READY");
        assertThat(resource("taken-over").owningRun()).isEmpty();
    }

    @Test
    default void aLongLineOfRunsThatMayNotStartEndsInPages() {
        int many = 250;
        LeaseRecord lease = new Client(client().store()).take(key("no-way"));
        for (int i = 0; i < many; i++) {
            client().queues(key("no-way"), destroy().policy(ConflictPolicy.QUEUE));
        }
        new Client(client().store()).release(lease);
        RunQuery failed = RunQuery.ofTenant("acme").in(RunState.FAILED);
        assertThat(client().store().queries().listRuns(failed).runs())
                .as("ended by one step")
                .hasSizeBetween(1, many - 1);
        for (int round = 0; round < many / 50; round++) {
            client().store().upkeep().sweepRuns(10);
        }
        assertThat(client().store().queries().listRuns(failed).runs())
                .hasSize(many)
                .extracting(run -> run.status().error())
                .extracting(RunError::code)
                .containsOnly("WRONG_STATE");
        assertThat(client().store().queries().queue(key("no-way"))).isEmpty();
        client().starts(key("no-way"), spec());
    }
}
