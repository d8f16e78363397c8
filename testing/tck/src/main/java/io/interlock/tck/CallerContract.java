package io.interlock.tck;

import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.freshRun;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.spi.Answers;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Callers that wait for their turn and execute their runs themselves. */
interface CallerContract extends RunContract {

    private Run waits(LockKey key, SubmitRequest.Caller caller) {
        SubmitRequest request = SubmitRequest.of(freshRun(), key, spec().policy(ConflictPolicy.QUEUE))
                .by(caller);
        return as(SubmitAnswer.Queued.class, client().submit(request)).run();
    }

    @Test
    default void aCallerTakesItsTurnWhenTheKeyIsFree() {
        client().starts(key("turn"), spec());
        Claimed incumbent = client().claim();
        SubmitRequest.Caller caller = RunClient.caller();
        Run run = waits(key("turn"), caller);
        TurnAnswer.Waiting waiting = as(TurnAnswer.Waiting.class, client().takeTurn(run, caller));
        assertThat(waiting.position()).isEqualTo(1);
        assertThat(waiting.obstacle())
                .extracting(Refusal::explanation)
                .asString()
                .contains("is held by");
        client().succeeds(incumbent);
        TurnAnswer.Granted granted = as(TurnAnswer.Granted.class, client().takeTurn(run, caller));
        assertThat(granted.run().state()).isEqualTo(RunState.RUNNING);
        TurnAnswer.Granted again = as(TurnAnswer.Granted.class, client().takeTurn(run, caller));
        assertThat(again.lease().token()).isEqualTo(granted.lease().token());
        client().succeeds(new Claimed(granted.run(), granted.lease()));
        assertThat(client().takeTurn(run, caller)).isInstanceOf(TurnAnswer.Over.class);
    }

    @Test
    default void aKeyThatIsOfferedIsNobodyElses() {
        client().starts(key("offer"), spec());
        Claimed incumbent = client().claim();
        SubmitRequest.Caller caller = RunClient.caller();
        Run run = waits(key("offer"), caller);
        client().succeeds(incumbent);
        assertThat(client().refused(key("offer"), spec()).explanation())
                .contains(run.id().toString());
        new Client(client().store()).refusal(key("offer"));
    }

    @Test
    default void anOfferNobodyTakesGoesToTheNext() {
        client().starts(key("lapse"), spec());
        Claimed incumbent = client().claim();
        SubmitRequest.Caller sleepy = RunClient.caller();
        Run first = waits(key("lapse"), sleepy);
        SubmitRequest.Caller awake = RunClient.caller();
        Run second = waits(key("lapse"), awake);
        client().succeeds(incumbent);
        assertThat(client().takeTurn(second, awake)).isInstanceOf(TurnAnswer.Waiting.class);
        advance(Duration.ofSeconds(6));
        assertThat(client().takeTurn(second, awake)).isInstanceOf(TurnAnswer.Granted.class);
        assertThat(client().takeTurn(first, sleepy))
                .as("it still waits, and has sent another request")
                .isInstanceOf(TurnAnswer.Waiting.class);
    }

    @Test
    default void aWaiterThatIsGoneLosesItsPlace() {
        client().starts(key("gone"), spec());
        Claimed incumbent = client().claim();
        Run lost = waits(key("gone"), RunClient.caller());
        SubmitRequest.Caller awake = RunClient.caller();
        Run next = waits(key("gone"), awake);
        advance(Duration.ofSeconds(10));
        client().takeTurn(next, awake);
        advance(Duration.ofSeconds(6));
        client().succeeds(incumbent);
        client().ended(lost.id(), RunState.ABORTED, "WAITER_LOST");
        assertThat(client().takeTurn(next, awake)).isInstanceOf(TurnAnswer.Granted.class);
    }

    @Test
    default void aCallerThatIsOfferedAPausedKeyHearsOfThePause() {
        client().starts(key("paused"), spec());
        Claimed incumbent = client().claim();
        SubmitRequest.Caller caller = RunClient.caller();
        Run run = waits(key("paused"), caller);
        client().succeeds(incumbent);
        client().store().runs().pause(new PauseRequest("acme", "paused", "carol", "upgrade", null));
        TurnAnswer.Waiting waiting = as(TurnAnswer.Waiting.class, client().takeTurn(run, caller));
        assertThat(waiting.obstacle()).isInstanceOf(RunRefusal.Paused.class);
        assertThat(client().store().queries().explain(run.id()).orElseThrow().sentence())
                .contains("carol", "upgrade");
        client().store().runs().resume(new ResumeRequest("acme", "paused", "carol", "done"));
        assertThat(client().takeTurn(run, caller)).isInstanceOf(TurnAnswer.Granted.class);
    }

    @Test
    default void aCallerThatIsOfferedAKeyWhileItsTenantIsBusyHearsOfTheLimit() {
        client().starts(key("limit"), spec());
        Claimed incumbent = client().claim();
        SubmitRequest.Caller caller = RunClient.caller();
        Run run = client().submitted(SubmitRequest.of(freshRun(), key("limit"), spec().policy(ConflictPolicy.QUEUE))
                .by(caller)
                .within(new LineLimits(5, 1)));
        client().succeeds(incumbent);
        client().starts(key("faster"), spec());
        TurnAnswer.Waiting waiting = as(TurnAnswer.Waiting.class, client().takeTurn(run, caller));
        assertThat(waiting.obstacle()).isInstanceOf(RunRefusal.TenantBusy.class);
        client().succeeds(client().claim());
        assertThat(client().takeTurn(run, caller)).isInstanceOf(TurnAnswer.Granted.class);
    }

    @Test
    default void callersThatCouldNotReportStillWait() {
        client().starts(key("cut-off"), spec());
        Claimed incumbent = client().claim();
        SubmitRequest.Caller one = RunClient.caller();
        Run first = waits(key("cut-off"), one);
        SubmitRequest.Caller other = RunClient.caller();
        Run second = waits(key("cut-off"), other);
        client().takeTurn(second, other);
        // No calls at all: as if the store could not be reached.
        advance(Duration.ofSeconds(20));
        client().succeeds(incumbent);
        client().store().upkeep().sweepRuns(10);
        client().is(first.id(), RunState.QUEUED);
        client().is(second.id(), RunState.QUEUED);
        TurnAnswer.Granted granted = as(TurnAnswer.Granted.class, client().takeTurn(first, one));
        client().succeeds(new Claimed(granted.run(), granted.lease()));
        assertThat(client().takeTurn(second, other)).isInstanceOf(TurnAnswer.Granted.class);
    }

    @Test
    default void callersThatReportInOneBatchAllStillWait() {
        new Client(client().store()).take(ContractRequests.forKey(key("batch"), Duration.ofMinutes(2)));
        new Client(client().store()).take(ContractRequests.forKey(key("elsewhere"), Duration.ofMinutes(2)));
        List<TurnRequest> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            SubmitRequest.Caller caller = RunClient.caller();
            all.add(new TurnRequest(waits(key("batch"), caller).id(), key("batch"), caller));
        }
        SubmitRequest.Caller caller = RunClient.caller();
        Run elsewhere = waits(key("elsewhere"), caller);
        client().takeTurn(elsewhere, caller);
        advance(Duration.ofSeconds(8));
        client().takeTurn(elsewhere, caller);
        advance(Duration.ofSeconds(8));
        Answers<TurnAnswer> answers = client().store().runs().takeTurn(all);
        for (int i = 0; i < all.size(); i++) {
            assertThat(answers.get(i)).as("of caller %d", i).isInstanceOf(TurnAnswer.Waiting.class);
        }
    }

    @Test
    default void aCallerThatIsSilentWhileOthersReportIsGone() {
        client().starts(key("silent"), spec());
        client().claim();
        Run silent = waits(key("silent"), RunClient.caller());
        SubmitRequest.Caller awake = RunClient.caller();
        Run next = waits(key("silent"), awake);
        client().takeTurn(next, awake);
        for (int seconds = 5; seconds <= 15; seconds += 5) {
            client().is(silent.id(), RunState.QUEUED);
            advance(Duration.ofSeconds(seconds == 15 ? 6 : 5));
            assertThat(client().takeTurn(next, awake)).isInstanceOf(TurnAnswer.Waiting.class);
        }
        client().ended(silent.id(), RunState.ABORTED, "WAITER_LOST");
        client().is(next.id(), RunState.QUEUED);
    }
}
