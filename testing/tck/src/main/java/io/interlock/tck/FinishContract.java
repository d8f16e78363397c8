package io.interlock.tck;

import static io.interlock.tck.RunClient.ERROR;
import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.FencingToken;
import io.interlock.LossCause;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Finishing attempts. */
interface FinishContract extends RunContract {

    @Test
    default void everyEndingHasItsState() {
        assertThat(ended("s", new Ending.Succeeded("{\"rows\":3}")).status().result())
                .isEqualTo("{\"rows\":3}");
        assertThat(ended("f", new Ending.Failed(ERROR, false, null)).state()).isEqualTo(RunState.FAILED);
        assertThat(ended("r", new Ending.Failed(ERROR, true, null)).state())
                .as("no retry is configured")
                .isEqualTo(RunState.FAILED);
        assertThat(ended("a", new Ending.Aborted(ERROR)).state()).isEqualTo(RunState.ABORTED);
        assertThat(ended("t", new Ending.TimedOut(ERROR)).state()).isEqualTo(RunState.TIMED_OUT);
    }

    private Run ended(String name, Ending ending) {
        client().starts(key(name), spec());
        Run run = client().finished(client().claim(), ending);
        assertThat(client().store().find(List.of(key(name))).get(0)).isEmpty();
        assertThat(client().store().queries().attempts(run.id()))
                .singleElement()
                .satisfies(attempt -> assertThat(attempt.next()).isEqualTo(run.state()));
        return run;
    }

    @Test
    default void theSameEndingAgainIsTheSameAnswer() {
        client().starts(key("twice"), spec());
        Claimed work = client().claim();
        Run ended = client().succeeds(work);
        client().starts(key("twice"), spec());
        assertThat(client().succeeds(work)).isEqualTo(ended);
        FinishAnswer other = client().finish(work, new Ending.Failed(ERROR, false, null));
        assertThat(as(FinishAnswer.AlreadyFinished.class, other).run()).isEqualTo(ended);
    }

    @Test
    default void finishingNeedsLeaseAndToken() {
        client().starts(key("proof"), spec());
        Claimed work = client().claim();
        FinishRequest right = RunClient.finishing(work, new Ending.Succeeded(null));
        FinishRequest otherToken = new FinishRequest(
                right.run(),
                right.key(),
                right.lease(),
                new FencingToken(right.token().value() + 1),
                right.ending());
        FinishRequest otherLease =
                new FinishRequest(right.run(), right.key(), ContractRequests.freshId(), right.token(), right.ending());
        for (FinishRequest wrong : List.of(otherToken, otherLease)) {
            FinishAnswer answer = client().store().work().finish(List.of(wrong)).only();
            assertThat(as(FinishAnswer.LeaseLost.class, answer).cause()).isEqualTo(LossCause.GONE);
        }
        client().is(right.run(), RunState.RUNNING);
        client().succeeds(work);
    }

    @Test
    default void anEndingAfterTheLeaseDoesNotCount() {
        client().starts(key("late"), spec());
        Claimed work = client().claim();
        advance(Duration.ofSeconds(31));
        assertThat(client().finish(work, new Ending.Succeeded(null))).isInstanceOf(FinishAnswer.LeaseLost.class);
        client().ended(work.run().id(), RunState.FAILED, "WORKER_TIMEOUT");
        assertThat(client().finish(work, new Ending.Succeeded(null))).isNotInstanceOf(FinishAnswer.Finished.class);
        client().is(work.run().id(), RunState.FAILED);
    }

    @Test
    default void aBatchAnswersEachInOrder() {
        client().starts(key("b1"), spec());
        client().starts(key("b2"), spec());
        List<Claimed> works = client().claim(2);
        var answers = client().store()
                .work()
                .finish(works.stream()
                        .map(work -> RunClient.finishing(work, new Ending.Succeeded(null)))
                        .toList());
        for (int i = 0; i < 2; i++) {
            assertThat(as(FinishAnswer.Finished.class, answers.get(i)).run().id())
                    .isEqualTo(works.get(i).run().id());
        }
    }

    @Test
    default void aFinishTakesTheNextRunOfItsKey() {
        client().starts(key("line"), queued());
        Run second = client().queues(key("line"), queued()).run();
        Run third = client().queues(key("line"), queued()).run();
        Claimed first = client().claim();
        FinishRequest request = finishing(first, new Ending.Succeeded("{}"), RunClient.claiming(1));
        Claimed next = taken(request);
        assertThat(next.run().id()).isEqualTo(second.id());
        assertThat(next.lease().token().value())
                .isGreaterThan(first.lease().token().value());
        client().is(first.run().id(), RunState.SUCCEEDED);
        client().is(second.id(), RunState.RUNNING);
        assertThat(client().claim(5)).as("nothing is left to claims").isEmpty();
        Claimed again = taken(request);
        assertThat(again.run().id()).as("the same request again").isEqualTo(second.id());
        assertThat(again.lease().id()).isEqualTo(next.lease().id());
        Claimed last = taken(finishing(next, new Ending.Succeeded("{}"), RunClient.claiming(1)));
        assertThat(last.run().id()).isEqualTo(third.id());
        FinishAnswer end = client().store()
                .work()
                .finish(List.of(finishing(last, new Ending.Succeeded("{}"), RunClient.claiming(1))))
                .only();
        assertThat(as(FinishAnswer.Finished.class, end).taken()).isEmpty();
        client().starts(key("line"), queued());
    }

    @Test
    default void aFinishLeavesToClaimsWhatIsNotNext() {
        FinishRequest lower = behind("lower", queued().priority(-1), new Ending.Succeeded("{}"));
        FinishRequest foreign =
                behind("foreign", RunSpec.of(new JobName("unknown"), "alice"), new Ending.Succeeded("{}"));
        FinishRequest retried = behind("retried", queued(), new Ending.Failed(ERROR, true, Duration.ZERO));
        for (FinishRequest request : List.of(lower, foreign, retried)) {
            FinishAnswer answer =
                    client().store().work().finish(List.of(request)).only();
            assertThat(as(FinishAnswer.Finished.class, answer).taken())
                    .as(request.key().name())
                    .isEmpty();
        }
        assertThat(client().claim(5))
                .extracting(work -> work.run().key())
                .containsExactly(key("retried"), key("lower"));
    }

    @Test
    default void nothingIsTakenUnderAPauseOrByACaller() {
        FinishRequest paused = behind("paused", queued(), new Ending.Succeeded("{}"));
        client().store().runs().pause(new PauseRequest("acme", key("paused").name(), Actor.of("alice"), "why", null));
        FinishAnswer answer = client().store().work().finish(List.of(paused)).only();
        assertThat(as(FinishAnswer.Finished.class, answer).taken()).isEmpty();

        client().starts(key("called"), queued());
        Claimed work = client().claim();
        client().submit(SubmitRequest.of(RunClient.freshRun(), key("called"), queued())
                .by(RunClient.caller()));
        FinishRequest called = finishing(work, new Ending.Succeeded("{}"), RunClient.claiming(1));
        FinishAnswer offered = client().store().work().finish(List.of(called)).only();
        assertThat(as(FinishAnswer.Finished.class, offered).taken()).isEmpty();
    }

    private static RunSpec queued() {
        return spec().policy(ConflictPolicy.QUEUE).retry(new RetryPlan(3, Duration.ZERO, 1, Duration.ZERO));
    }

    /** A request to finish a run with one behind it, and to take that. */
    private FinishRequest behind(String name, RunSpec next, Ending ending) {
        client().starts(key(name), queued());
        Claimed work = client().claim();
        client().queues(key(name), next.policy(ConflictPolicy.QUEUE));
        return finishing(work, ending, RunClient.claiming(1));
    }

    private static FinishRequest finishing(Claimed work, Ending ending, ClaimRequest next) {
        FinishRequest plain = RunClient.finishing(work, ending);
        return new FinishRequest(plain.run(), plain.key(), plain.lease(), plain.token(), ending, next);
    }

    private Claimed taken(FinishRequest request) {
        FinishAnswer answer = client().store().work().finish(List.of(request)).only();
        return as(FinishAnswer.Finished.class, answer).taken().orElseThrow();
    }
}
