package io.interlock.tck;

import static io.interlock.tck.RunClient.ERROR;
import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Ending;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunLimits;
import io.interlock.run.RunSpec;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

/** Retries. */
interface RetryContract extends RunContract {

    private static RunSpec tried(int attempts) {
        return spec().policy(ConflictPolicy.QUEUE)
                .retry(new RetryPlan(attempts, Duration.ofMinutes(1), 1, Duration.ofMinutes(1)));
    }

    @Test
    default void aFailedAttemptRestsAndLeavesTheKeyToOthers() {
        Run first = client().starts(key("rest"), tried(2)).run();
        Run second = client().queues(key("rest"), tried(1)).run();
        Run resting = client().failsForNow(client().claim());
        assertThat(resting.state()).isEqualTo(RunState.QUEUED);
        client().is(second.id(), RunState.PENDING);
        client().succeeds(client().claim());
        assertThat(client().claim(1)).as("its delay is not over").isEmpty();
        advance(Duration.ofSeconds(61));
        Claimed again = client().claim();
        assertThat(again.run().id()).isEqualTo(first.id());
        assertThat(again.run().status().attempts()).isEqualTo(2);
        client().succeeds(again);
    }

    @Test
    default void theKeyIsFreeWhileItsOnlyRunRests() {
        Run run = client().starts(key("free-rest"), tried(2)).run();
        client().failsForNow(client().claim());
        LeaseRecord lease = new Client(client().store()).take(key("free-rest"));
        advance(Duration.ofSeconds(25));
        new Client(client().store()).renewed(lease, Duration.ofSeconds(60));
        advance(Duration.ofSeconds(40));
        assertThat(client().claim(1)).as("another run has the key").isEmpty();
        new Client(client().store()).release(lease);
        assertThat(client().claim().run().id()).isEqualTo(run.id());
    }

    @Test
    default void aRetryKeepsItsPlaceInLine() {
        Run first = client().starts(key("place"), tried(2)).run();
        Run second = client().queues(key("place"), tried(1)).run();
        Run third = client().queues(key("place"), tried(1)).run();
        client().finished(client().claim(), new Ending.Failed(ERROR, true, Duration.ZERO));
        client().is(first.id(), RunState.PENDING);
        assertThat(client().store().queries().queue(key("place")))
                .extracting(Run::id)
                .containsExactly(second.id(), third.id());
    }

    @Test
    default void aRunIsDeadWhenItsAttemptsAreUsedUp() {
        Run run = client().starts(key("dead"), tried(3)).run();
        for (int attempt = 1; attempt <= 3; attempt++) {
            client().is(run.id(), attempt == 1 ? RunState.PENDING : RunState.QUEUED);
            advance(Duration.ofSeconds(61));
            client().failsForNow(client().claim());
        }
        client().ended(run.id(), RunState.DEAD, "BROKEN");
        assertThat(client().store().queries().attempts(run.id())).hasSize(3);
    }

    @Test
    default void aPermanentErrorIsNotTriedAgain() {
        Run run = client().starts(key("permanent"), tried(3)).run();
        client().finished(client().claim(), new Ending.Failed(ERROR, false, null));
        client().ended(run.id(), RunState.FAILED, "BROKEN");
    }

    @Test
    default void whoJoinsJoinsARunThatRests() {
        Run run = client().starts(key("join-rest"), tried(2)).run();
        client().failsForNow(client().claim());
        SubmitAnswer joined = client().submit(key("join-rest"), spec().policy(ConflictPolicy.JOIN));
        assertThat(as(SubmitAnswer.Joined.class, joined).run().id()).isEqualTo(run.id());
    }

    @Test
    default void aRepeatedEndingOfARetryIsTheSameAnswer() {
        client().starts(key("again"), tried(2));
        Claimed work = client().claim();
        Run resting = client().failsForNow(work);
        assertThat(client().failsForNow(work)).isEqualTo(resting);
    }

    @Test
    default void anEndingIsAnsweredAgainUntilTheNextAttemptBegins() {
        Run run = client().starts(key("repeated"), spec().retry(DeadLetterWords.TWICE))
                .run();
        Claimed first = client().claim();
        client().failsForNow(first);
        assertThat(client().failsForNow(first).id()).isEqualTo(run.id());
        assertThat(client().finish(first, new Ending.Succeeded(null))).isInstanceOf(FinishAnswer.AlreadyFinished.class);
        Claimed second = client().claim();
        assertThat(client().finish(first, new Ending.Failed(ERROR, true, null)))
                .as("another attempt has begun")
                .isInstanceOf(FinishAnswer.LeaseLost.class);
        client().is(run.id(), RunState.RUNNING);
        assertThat(client().store().queries().attempts(run.id())).hasSize(1);
        client().succeeds(second);
    }

    @Test
    default void theEndingOfWhoWasAskedToStopIsAnsweredAgain() {
        Run run = client().starts(key("stopped"), spec().retry(DeadLetterWords.TWICE))
                .run();
        Claimed work = client().claim();
        client().store().runs().cancel(new CancelRequest(run.id(), "carol", "not needed"));
        assertThat(client().failsForNow(work).state()).isEqualTo(RunState.ABORTED);
        assertThat(client().failsForNow(work).state())
                .as("a repeated finish gets the same answer")
                .isEqualTo(RunState.ABORTED);
    }

    @Test
    default void aTimeBeyondAllTimesIsForEver() {
        Duration ages = ChronoUnit.FOREVER.getDuration();
        RunSpec spec = spec().policy(ConflictPolicy.QUEUE)
                .limits(new RunLimits(ages, ages, Duration.ZERO))
                .retry(new RetryPlan(3, Duration.ZERO, 100, ages));
        Run run = client().submitted(SubmitRequest.of(RunClient.freshRun(), key("ages"), spec)
                .knownBy(new SubmitRequest.Idempotency("ages", "print", ages)));
        Run waiting = client().queues(key("ages"), spec).run();
        assertThat(client().heartbeat(client().claim())).isInstanceOf(HeartbeatAnswer.Beating.class);
        advance(Duration.ofSeconds(31));
        Claimed again = client().claim();
        assertThat(again.run().id()).isEqualTo(run.id());
        Run resting = client().finished(again, new Ending.Failed(ERROR, true, ages));
        assertThat(resting.status().notBefore()).isAfter(Instant.parse("9999-12-31T23:59:59Z"));
        client().succeeds(client().claim());
        client().is(waiting.id(), RunState.SUCCEEDED);
        client().store().runs().pause(new PauseRequest("acme", "elsewhere", "carol", "for good", ages));
        assertThat(client().store().upkeep().sweepRuns(10)).isEmpty();
    }

    @Test
    default void aVerdictMayBePutOffForEver() {
        RunLimits limits = new RunLimits(null, null, ChronoUnit.FOREVER.getDuration());
        client().starts(key("late"), spec().limits(limits));
        Claimed work = client().claim();
        advance(Duration.ofSeconds(31));
        assertThat(client().store().upkeep().sweepRuns(10)).isEmpty();
        client().starts(key("elsewhere"), spec());
        client().succeeds(client().claim());
        client().is(work.run().id(), RunState.RUNNING);
        EvictRequest gone = new EvictRequest(key("late"), work.lease().token(), "carol", "the host is gone");
        assertThat(client().store().evict(gone)).isInstanceOf(EvictAnswer.Evicted.class);
        client().starts(key("late"), spec());
    }
}
