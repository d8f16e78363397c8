package io.interlock.tck;

import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.freshRun;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Ending;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunLimits;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.Wait;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Waiting in the queue. */
interface QueueContract extends RunContract {

    /** The waiting runs. */
    private static RunSpec queued() {
        return spec().policy(ConflictPolicy.QUEUE);
    }

    @Test
    default void whoComesFirstGoesFirst() {
        client().starts(key("line"), queued());
        Run first = client().queues(key("line"), queued()).run();
        SubmitAnswer.Queued second = client().queues(key("line"), queued());
        assertThat(second.position()).isEqualTo(2);
        client().succeeds(client().claim());
        client().is(first.id(), RunState.PENDING);
        client().is(second.run().id(), RunState.QUEUED);
        client().succeeds(client().claim());
        assertThat(client().claim().run().id()).isEqualTo(second.run().id());
    }

    @Test
    default void theHigherPriorityGoesFirst() {
        client().starts(key("priority"), queued());
        client().queues(key("priority"), queued().priority(-1));
        SubmitAnswer.Queued high = client().queues(key("priority"), queued().priority(5));
        assertThat(high.position()).isEqualTo(1);
        client().succeeds(client().claim());
        client().is(high.run().id(), RunState.PENDING);
    }

    @Test
    default void waitingRaisesThePriorityByAPointForEachMinute() {
        client().starts(key("age"), queued());
        Run old = client().queues(key("age"), queued()).run();
        advance(Duration.ofMinutes(3));
        Run behind = client().queues(key("age"), queued().priority(2)).run();
        Run high = client().queues(key("age"), queued().priority(20)).run();
        advance(Duration.ofMinutes(16));
        Run level = client().queues(key("age"), queued().priority(18)).run();
        SubmitAnswer.Queued before = client().queues(key("age"), queued().priority(21));
        assertThat(before.position()).isEqualTo(2);
        List<Run> inOrder = List.of(high, before.run(), old, behind, level);
        assertThat(client().store().queries().queue(key("age")))
                .extracting(Run::id)
                .containsExactlyElementsOf(inOrder.stream().map(Run::id).toList());
        advance(Duration.ofHours(5));
        for (int i = 0; i < inOrder.size(); i++) {
            assertThat(client().store().queries().explain(inOrder.get(i).id()))
                    .as("the order does not change")
                    .hasValueSatisfying(place(i + 1));
        }
    }

    private static Consumer<Wait> place(int position) {
        return wait -> assertThat(wait.position()).isEqualTo(position);
    }

    @Test
    default void aRunThatHasWaitedForLongEnoughComesBeforeAllOthers() {
        client().starts(key("starving"), queued());
        Run low = client().queues(key("starving"), queued().priority(-100)).run();
        advance(Duration.ofMinutes(201));
        Run urgent = client().queues(key("starving"), queued().priority(100)).run();
        assertThat(client().store().queries().queue(key("starving")))
                .extracting(Run::id)
                .containsExactly(low.id(), urgent.id());
    }

    @Test
    default void anOldRunComesBeforeAYoungOneOfHigherPriorityThoughTheFirstOfAllGoes() {
        client().starts(key("aged"), queued());
        Claimed work = client().claim();
        Run old = client().queues(key("aged"), queued().priority(4)).run();
        minutesOfWork(work, 8);
        Run young = client().queues(key("aged"), queued().priority(5)).run();
        Run first = client().queues(key("aged"), queued().priority(50).limits(waitingFor(5)))
                .run();
        advance(Duration.ofSeconds(6));
        client().succeeds(work);
        client().ended(first.id(), RunState.ABORTED, "WAIT_EXPIRED");
        client().is(young.id(), RunState.QUEUED);
        client().is(old.id(), RunState.PENDING);
    }

    private void minutesOfWork(Claimed work, int minutes) {
        for (int i = 0; i < 4 * minutes; i++) {
            advance(Duration.ofSeconds(15));
            client().heartbeat(work);
        }
    }

    @Test
    default void whoWaitsTooLongGoes() {
        Run pending =
                client().starts(key("wait"), queued().limits(waitingFor(90))).run();
        Run queued =
                client().queues(key("wait"), queued().limits(waitingFor(60))).run();
        Run patient = client().queues(key("wait"), queued()).run();
        advance(Duration.ofSeconds(61));
        client().store().upkeep().sweepRuns(10);
        client().ended(queued.id(), RunState.ABORTED, "WAIT_EXPIRED");
        client().is(pending.id(), RunState.PENDING);
        advance(Duration.ofSeconds(30));
        client().store().upkeep().sweepRuns(10);
        client().ended(pending.id(), RunState.FAILED, "NO_WORKER");
        client().is(patient.id(), RunState.PENDING);
    }

    @Test
    default void aTenantHasNoMoreUnderWayThanItMay() {
        LineLimits two = new LineLimits(10, 2);
        client().submit(limited("t1", two, ConflictPolicy.QUEUE));
        client().submit(limited("t2", two, ConflictPolicy.QUEUE));
        SubmitAnswer refused = client().submit(limited("t3", two, ConflictPolicy.REJECT));
        assertThat(as(SubmitAnswer.Refused.class, refused).refusal()).isInstanceOf(RunRefusal.TenantBusy.class);
        SubmitAnswer queued = client().submit(limited("t3", two, ConflictPolicy.QUEUE));
        Run third = as(SubmitAnswer.Queued.class, queued).run();
        assertThat(client().claim(10)).hasSize(2).allSatisfy(work -> client().succeeds(work));
        assertThat(client().claim().run().id()).isEqualTo(third.id());
    }

    private static SubmitRequest limited(String name, LineLimits limits, ConflictPolicy policy) {
        return SubmitRequest.of(freshRun(), Bench.key(name), spec().policy(policy))
                .within(limits);
    }

    private static RunLimits waitingFor(int seconds) {
        return new RunLimits(Duration.ofSeconds(seconds), null, Duration.ZERO);
    }

    @Test
    default void aPlaceOfTheTenantThatBecomesFreeOnOneKeyIsForTheNextOnAnother() {
        LineLimits one = new LineLimits(10, 1);
        client().submitted(SubmitRequest.of(freshRun(), key("place-1"), spec()).within(one));
        Claimed work = client().claim();
        Run next = client().submitted(SubmitRequest.of(freshRun(), key("place-2"), spec().policy(ConflictPolicy.QUEUE))
                .within(one));
        client().is(next.id(), RunState.QUEUED);
        assertThat(client().store().upkeep().sweepRuns(10)).isEmpty();
        client().succeeds(work);
        client().store().upkeep().sweepRuns(10);
        client().is(next.id(), RunState.PENDING);
        assertThat(client().claim().run().id()).isEqualTo(next.id());
    }

    private Run urgent(LineLimits limits) {
        return client().submitted(SubmitRequest.of(
                        freshRun(),
                        key("urgent"),
                        spec().policy(ConflictPolicy.QUEUE).priority(100))
                .within(limits));
    }

    @Test
    default void theNextPlaceOfATenantIsForTheHighestPriorityOfAllItsKeys() {
        LineLimits two = new LineLimits(10, 2);
        client().submitted(limited("busy-1", two, ConflictPolicy.QUEUE));
        client().submitted(limited("busy-2", two, ConflictPolicy.QUEUE));
        List<Claimed> works = client().claim(2);
        client().submitted(limited("busy-1", two, ConflictPolicy.QUEUE));
        client().submitted(limited("busy-2", two, ConflictPolicy.QUEUE));
        Run urgent = urgent(two);
        client().is(urgent.id(), RunState.QUEUED);
        client().succeeds(works.get(0));
        client().submitted(limited("busy-1", two, ConflictPolicy.QUEUE));
        client().submitted(limited("busy-2", two, ConflictPolicy.QUEUE));
        List<Claimed> next = client().claim(10);
        assertThat(next).extracting(work -> work.run().id()).containsExactly(urgent.id());
        client().succeeds(next.get(0));
        assertThat(client().claim(10)).as("the next run gets its place").hasSize(1);
    }

    @Test
    default void theNextPlaceOfATenantIsForARunThatWaitingHasRaisedAboveTheOthers() {
        LineLimits one = new LineLimits(10, 1);
        client().submitted(limited("busy", one, ConflictPolicy.QUEUE));
        Claimed work = client().claim();
        Run old = client().submitted(raised("old", 4).within(one));
        minutesOfWork(work, 8);
        Run young = client().submitted(raised("young", 5).within(one));
        Run younger = client().submitted(raised("younger", 5).within(one));
        client().succeeds(work);
        for (Run next : List.of(old, young, younger)) {
            Claimed claimed = client().claim();
            assertThat(claimed.run().id()).isEqualTo(next.id());
            client().succeeds(claimed);
        }
    }

    private static SubmitRequest raised(String name, int priority) {
        return SubmitRequest.of(
                freshRun(), Bench.key(name), spec().policy(ConflictPolicy.QUEUE).priority(priority));
    }

    @Test
    default void aCallersRunOfTheHighestPriorityKeepsThePlaceThatItIsOffered() {
        LineLimits one = new LineLimits(10, 1);
        client().submitted(limited("busy", one, ConflictPolicy.QUEUE));
        Claimed work = client().claim();
        client().submitted(limited("busy", one, ConflictPolicy.QUEUE));
        SubmitRequest.Caller caller = RunClient.caller();
        Run urgent = client().submitted(SubmitRequest.of(
                        freshRun(),
                        key("urgent"),
                        spec().policy(ConflictPolicy.QUEUE).priority(100))
                .by(caller)
                .within(one));
        client().succeeds(work);
        client().submitted(limited("busy", one, ConflictPolicy.QUEUE));
        assertThat(client().claim(10)).isEmpty();
        assertThat(client().takeTurn(urgent, caller)).isInstanceOf(TurnAnswer.Granted.class);
    }

    @Test
    default void aPlaceThatIsGivenUpLaterInASweepIsForARunThatWasLookedAtBefore() {
        LineLimits one = new LineLimits(10, 1);
        RetryPlan twice = new RetryPlan(2, Duration.ofSeconds(3), 1, Duration.ofSeconds(3));
        Run rests = client().submitted(SubmitRequest.of(freshRun(), key("rests"), spec().retry(twice))
                .within(one));
        Claimed work = client().claim();
        Run missed = client().submitted(SubmitRequest.of(freshRun(), key("missed"), spec().policy(ConflictPolicy.QUEUE))
                .by(RunClient.caller())
                .within(one));
        client().finished(work, new Ending.Failed(RunClient.ERROR, true, Duration.ofSeconds(3)));
        client().store().upkeep().sweepRuns(10);
        advance(Duration.ofSeconds(6));
        client().store().upkeep().sweepRuns(10);
        assertThat(client().run(missed.id()).status().waiter())
                .as("its caller did not take the place")
                .matches(waiter -> waiter != null && waiter.missedOffer());
        client().is(rests.id(), RunState.PENDING);
    }

    @Test
    default void aRunOfAPausedKeyKeepsNoPlaceOfItsTenantEmpty() {
        LineLimits one = new LineLimits(10, 1);
        client().submitted(limited("busy", one, ConflictPolicy.QUEUE));
        Claimed work = client().claim();
        Run next = client().submitted(limited("busy", one, ConflictPolicy.QUEUE));
        Run urgent = urgent(one);
        client().store().runs().pause(new PauseRequest("acme", "urgent", "carol", "upgrade", null));
        client().succeeds(work);
        Claimed second = client().claim();
        assertThat(second.run().id()).isEqualTo(next.id());
        client().submitted(limited("busy", one, ConflictPolicy.QUEUE));
        client().store().runs().resume(new ResumeRequest("acme", "urgent", "carol", "done"));
        client().succeeds(second);
        assertThat(client().claim().run().id()).isEqualTo(urgent.id());
    }
}
