package io.interlock.tck;

import static io.interlock.tck.RunClient.ERROR;
import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.FencingToken;
import io.interlock.LossCause;
import io.interlock.RunState;
import io.interlock.run.Claimed;
import io.interlock.run.Ending;
import io.interlock.run.FinishAnswer;
import io.interlock.run.Run;
import io.interlock.spi.run.FinishRequest;
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
        assertThat(client().store().attempts(run.id()))
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
            FinishAnswer answer = client().store().finish(List.of(wrong)).only();
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
                .finish(works.stream()
                        .map(work -> RunClient.finishing(work, new Ending.Succeeded(null)))
                        .toList());
        for (int i = 0; i < 2; i++) {
            assertThat(as(FinishAnswer.Finished.class, answers.get(i)).run().id())
                    .isEqualTo(works.get(i).run().id());
        }
    }
}
