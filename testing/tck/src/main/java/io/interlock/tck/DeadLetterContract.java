package io.interlock.tck;

import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.freshRun;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.ConflictPolicy;
import io.interlock.InvalidSettingException;
import io.interlock.RunId;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.DeadLetter.DiscardAnswer;
import io.interlock.run.DeadLetter.RedriveAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.Transition;
import io.interlock.spi.run.RunSteps;
import io.interlock.spi.run.RunSteps.RedriveRequest;
import io.interlock.spi.run.RunSteps.ResourceRequest;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Redriving dead letters. */
interface DeadLetterContract extends DeadLetterWords {

    @Test
    default void aRedriveIsANewRunWithFreshAttempts() {
        Run dead = dies(key("again"), spec().priority(7).parameters("{\"day\":1}"));
        RedriveAnswer.Redriven answer = redriven(dead);
        assertThat(answer.run().id()).isNotEqualTo(dead.id());
        assertThat(answer.run().number()).isGreaterThan(dead.number());
        assertThat(answer.run().state()).isEqualTo(RunState.PENDING);
        assertThat(answer.run().status().attempts()).isZero();
        assertThat(answer.run().status().error()).isNull();
        assertThat(answer.run().job()).isEqualTo(dead.job());
        assertThat(answer.run().spec().priority()).isEqualTo(7);
        assertThat(answer.run().spec().parameters()).isEqualTo("{\"day\":1}");
        assertThat(answer.run().spec().retry()).isEqualTo(TWICE);
        assertThat(answer.run().spec().origin().submitter()).isEqualTo("dora");
        assertThat(client().run(answer.run().id())).isEqualTo(answer.run());
        client().failsForNow(client().claim());
        client().is(answer.run().id(), RunState.PENDING);
        client().succeeds(client().claim());
        client().is(answer.run().id(), RunState.SUCCEEDED);
        assertThat(client().run(dead.id())).as("the dead run does not change").isEqualTo(dead);
    }

    @Test
    default void aRedriveSaysWhoDidWhatAndWhy() {
        Run dead = dies(key("told"), spec());
        RedriveAnswer.Redriven answer = redriven(dead);
        DeadLetter.Disposition done = answer.letter().settled().orElseThrow();
        assertThat(done.kind()).isEqualTo(DeadLetter.Disposition.Kind.REDRIVEN);
        assertThat(done.actor()).isEqualTo("dora");
        assertThat(done.reason()).isEqualTo("the disk is mended");
        assertThat(done.successor()).isEqualTo(answer.run().id());
        assertThat(done.at()).isAfterOrEqualTo(dead.status().since());
        assertThat(client().store().queries().deadLetters(all())).containsExactly(answer.letter());
        assertThat(logged(key("told"), "redriven")).satisfies(record -> {
            assertThat(record.run()).isEqualTo(dead.id());
            assertThat(record.actor()).isEqualTo("dora");
            assertThat(record.reason()).isEqualTo("the disk is mended");
            assertThat(record.before()).isEqualTo("DEAD");
            assertThat(record.after()).isEqualTo(answer.run().id().toString());
        });
    }

    @Test
    default void aRedriveWaitsInLineWhateverThePolicyWas() {
        Run dead = dies(key("taken"), spec().policy(ConflictPolicy.REJECT));
        client().starts(key("taken"), spec());
        Claimed work = client().claim();
        RedriveAnswer.Redriven answer = redriven(dead);
        assertThat(answer.run().state()).isEqualTo(RunState.QUEUED);
        client().succeeds(work);
        assertThat(client().claim().run().id()).isEqualTo(answer.run().id());
    }

    @Test
    default void aLineThatIsFullLeavesTheLetterOpen() {
        LineLimits one = new LineLimits(1, 10);
        RunSpec queued = spec().policy(ConflictPolicy.QUEUE).retry(TWICE);
        Run dead = dies(SubmitRequest.of(freshRun(), key("full"), queued).within(one));
        client().starts(key("full"), spec());
        client().queues(key("full"), spec().policy(ConflictPolicy.QUEUE));
        RedriveAnswer.Refused answer = as(RedriveAnswer.Refused.class, redrive(dead.id(), freshRun()));
        assertThat(answer.refusal()).isInstanceOf(RunRefusal.QueueFull.class);
        assertThat(listed(DeadLetterQuery.openOf("acme"))).containsExactly(dead.id());
    }

    @Test
    default void aGuardThatRefusesLeavesTheLetterOpen() {
        Transition guard = new Transition("cluster", Set.of("none", "READY"), "LOADING", "READY", "BROKEN");
        Run dead = dies(key("guarded"), spec().guard(guard));
        RunId anew = freshRun();
        RedriveAnswer.Refused answer = as(RedriveAnswer.Refused.class, redrive(dead.id(), anew));
        assertThat(answer.refusal()).isInstanceOf(RunRefusal.WrongState.class);
        assertThat(answer.letter().isOpen()).isTrue();
        assertThat(client().store().queries().findRun(anew)).isEmpty();
        assertThat(listed(DeadLetterQuery.openOf("acme"))).containsExactly(dead.id());
        long version = client().store()
                .queries()
                .resource(key("guarded"))
                .orElseThrow()
                .version();
        client().store()
                .runs()
                .setResource(
                        new ResourceRequest(key("guarded"), "cluster", "READY", version, "dora", "mended by hand"));
        assertThat(redrive(dead.id(), anew)).isInstanceOf(RedriveAnswer.Redriven.class);
        assertThat(client().claim().run().id()).isEqualTo(anew);
    }

    @Test
    default void theSameRedriveAgainIsTheSameAnswer() {
        Run dead = dies(key("same"), spec());
        RunId anew = freshRun();
        RedriveAnswer first = redrive(dead.id(), anew);
        assertThat(redrive(dead.id(), anew)).isEqualTo(first);
        client().succeeds(client().claim());
        RedriveAnswer.Redriven later = as(RedriveAnswer.Redriven.class, redrive(dead.id(), anew));
        assertThat(later.letter())
                .isEqualTo(as(RedriveAnswer.Redriven.class, first).letter());
        assertThat(later.run().state()).isEqualTo(RunState.SUCCEEDED);
        assertThat(client().claim(5)).as("no second run").isEmpty();
    }

    @Test
    default void whoComesSecondIsToldWhatTheFirstDid() {
        Run dead = dies(key("second"), spec());
        RedriveAnswer.Redriven first = redriven(dead);
        RunId anew = freshRun();
        assertThat(as(RedriveAnswer.Settled.class, redrive(dead.id(), anew)).letter())
                .isEqualTo(first.letter());
        assertThat(client().store().queries().findRun(anew)).isEmpty();
        assertThat(as(DiscardAnswer.Settled.class, discard(dead.id())).letter()).isEqualTo(first.letter());
    }

    @Test
    default void ofTwoRedrivesAtOnceOneWins() throws Exception {
        Run dead = dies(key("race"), spec());
        Queue<RedriveAnswer> answers = new ConcurrentLinkedQueue<>();
        ParallelThreads.run(4, index -> {
            RunSteps own = bench().anotherClient().store().runs();
            answers.add(own.redrive(new RedriveRequest(dead.id(), freshRun(), "dora", "again")));
        });
        List<Run> won = answers.stream()
                .filter(RedriveAnswer.Redriven.class::isInstance)
                .map(answer -> ((RedriveAnswer.Redriven) answer).run())
                .toList();
        assertThat(won).hasSize(1);
        assertThat(answers)
                .filteredOn(answer -> !(answer instanceof RedriveAnswer.Redriven))
                .hasSize(3)
                .allSatisfy(answer -> assertThat(as(RedriveAnswer.Settled.class, answer)
                                .letter()
                                .settled()
                                .orElseThrow()
                                .successor())
                        .isEqualTo(won.get(0).id()));
        assertThat(client().claim(5))
                .singleElement()
                .extracting(work -> work.run().id())
                .isEqualTo(won.get(0).id());
    }

    @Test
    default void aNameThatIsTakenIsNotGivenToANewRun() {
        Run dead = dies(key("name"), spec());
        Run other = client().starts(key("other"), spec()).run();
        assertThatThrownBy(() -> redrive(dead.id(), other.id())).isInstanceOf(InvalidSettingException.class);
        assertThatThrownBy(() -> redrive(dead.id(), dead.id())).isInstanceOf(InvalidSettingException.class);
        assertThat(listed(DeadLetterQuery.openOf("acme"))).containsExactly(dead.id());
    }
}
