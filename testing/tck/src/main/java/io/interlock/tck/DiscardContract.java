package io.interlock.tck;

import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.freshRun;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.DeadLetter.DiscardAnswer;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunSpec;
import io.interlock.run.RunSpec.Execution;
import io.interlock.run.Summary.RunCount;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunViews;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Listing and discarding dead letters, and runs that are not dead letters. */
interface DiscardContract extends DeadLetterWords {

    @Test
    default void onlyADeadRunIsRedrivenOrDiscarded() {
        Run run = client().starts(key("alive"), spec()).run();
        assertThat(as(RedriveAnswer.NotDead.class, redrive(run.id(), freshRun()))
                        .run())
                .isEqualTo(run);
        assertThat(as(DiscardAnswer.NotDead.class, discard(run.id())).run()).isEqualTo(run);
        Run failed = client().failsForNow(client().claim());
        assertThat(failed.state()).isEqualTo(RunState.FAILED);
        assertThat(redrive(run.id(), freshRun())).isInstanceOf(RedriveAnswer.NotDead.class);
        assertThat(redrive(freshRun(), freshRun())).isInstanceOf(RedriveAnswer.Unknown.class);
        assertThat(discard(freshRun())).isInstanceOf(DiscardAnswer.Unknown.class);
        assertThat(client().store().queries().deadLetters(all())).isEmpty();
    }

    @Test
    default void whatItsCallerDoesCannotBeRedriven() {
        RunSpec twice = spec().retry(TWICE);
        SubmitRequest.Caller caller = RunClient.caller();
        SubmitRequest request = SubmitRequest.of(freshRun(), key("own"), twice).by(caller);
        Run run = client().submitted(request);
        client().failsForNow(client().heldBy(run));
        SubmitRequest.Caller next = RunClient.caller();
        client().takeTurn(run, next);
        client().failsForNow(client().heldBy(run));
        client().is(run.id(), RunState.DEAD);
        assertThat(as(RedriveAnswer.CallersWork.class, redrive(run.id(), freshRun()))
                        .run()
                        .spec()
                        .execution())
                .isEqualTo(Execution.CALLER);
        assertThat(listed(DeadLetterQuery.openOf("acme"))).containsExactly(run.id());
        assertThat(discard(run.id())).isInstanceOf(DiscardAnswer.Settled.class);
    }

    @Test
    default void aLeaseThatRanOutOnTheLastAttemptMakesADeadLetter() {
        Run run = client().starts(key("lost"), spec().retry(TWICE)).run();
        client().failsForNow(client().claim());
        client().claim();
        advance(Duration.ofSeconds(31));
        assertThat(redriven(run).run().state()).as("no sweep was necessary").isEqualTo(RunState.PENDING);
        client().is(run.id(), RunState.DEAD);
    }

    @Test
    default void aDiscardSettlesForGood() {
        Run dead = dies(key("gone"), spec());
        DeadLetter letter = as(DiscardAnswer.Settled.class, discard(dead.id())).letter();
        assertThat(letter.run()).isEqualTo(dead);
        DeadLetter.Disposition done = letter.settled().orElseThrow();
        assertThat(done.kind()).isEqualTo(DeadLetter.Disposition.Kind.DISCARDED);
        assertThat(done.actor()).isEqualTo("dora");
        assertThat(done.reason()).isEqualTo("not needed");
        assertThat(done.successor()).isNull();
        assertThat(as(DiscardAnswer.Settled.class, discard(dead.id())).letter()).isEqualTo(letter);
        assertThat(as(RedriveAnswer.Settled.class, redrive(dead.id(), freshRun()))
                        .letter())
                .isEqualTo(letter);
        assertThat(client().claim(5)).isEmpty();
        assertThat(logged(key("gone"), "discarded").run()).isEqualTo(dead.id());
    }

    @Test
    default void lettersAreListedByWhatIsAskedFor() {
        Run first = dies(key("l1"), spec());
        Run second = dies(key("l2"), RunSpec.of(new JobName("other"), "alice"));
        Run third = dies(key("l3"), spec());
        Run stranger =
                client().submitted(SubmitRequest.of(freshRun(), LockKey.of("globex", "l1"), spec().retry(TWICE)));
        for (int i = 0; i < 2; i++) {
            client().failsForNow(client().claimFor("globex"));
        }
        client().starts(key("l4"), spec());
        assertThat(listed(all())).containsExactly(first.id(), second.id(), third.id(), stranger.id());
        assertThat(listed(DeadLetterQuery.openOf("acme"))).containsExactly(first.id(), second.id(), third.id());
        assertThat(listed(new DeadLetterQuery(null, new JobName("other"), true, 0, 10)))
                .containsExactly(second.id());
        discard(second.id());
        redriven(first);
        assertThat(listed(DeadLetterQuery.openOf("acme"))).containsExactly(third.id());
        assertThat(listed(new DeadLetterQuery("acme", null, false, 0, 10)))
                .containsExactly(first.id(), second.id(), third.id());
        assertThat(listed(new DeadLetterQuery(null, null, false, 0, 2))).containsExactly(first.id(), second.id());
        assertThat(listed(new DeadLetterQuery(null, null, false, second.number(), 2)))
                .containsExactly(third.id(), stranger.id());
    }

    @Test
    default void openLettersAreTallied() {
        RunViews views = client().store().views();
        Run dead = dies(key("tally"), spec());
        Run second = dies(key("tally-2"), spec());
        assertThat(views.runCounts())
                .containsExactly(new RunCount(
                        "acme", dead.job(), RunState.DEAD, 2, dead.status().since()));
        discard(dead.id());
        assertThat(views.runCounts())
                .containsExactly(new RunCount(
                        "acme", second.job(), RunState.DEAD, 1, second.status().since()));
        discard(second.id());
        assertThat(views.runCounts()).isEmpty();
    }
}
