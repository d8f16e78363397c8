package io.interlock.tck;

import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.ConflictPolicy;
import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.run.RunLimits;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunViews;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pausing keys. */
interface PauseContract extends RunContract {

    @Test
    default void nothingIsGrantedUnderAPausedPattern() {
        client().starts(key("pipeline/kept"), spec());
        client().store().runs().pause(new PauseRequest("acme", "pipeline/*", "carol", "upgrade", null));
        assertThat(client().claim(1))
                .as("not even the run with the reservation")
                .isEmpty();
        RunRefusal.Paused paused = as(RunRefusal.Paused.class, client().refused(key("pipeline/a"), spec()));
        assertThat(paused.explanation()).contains("carol", "upgrade");
        assertThat(new Client(client().store()).refusal(key("pipeline/a"))).isInstanceOf(RunRefusal.Paused.class);
        Run queued = client().queues(key("pipeline/a"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        new Client(client().store()).take(key("other"));
        new Client(client().store()).take(LockKey.of("globex", "pipeline/a"));
        ResumeRequest resume = new ResumeRequest("acme", "pipeline/*", "carol", "done");
        assertThat(client().store().runs().resume(resume)).isTrue();
        client().is(queued.id(), RunState.PENDING);
        assertThat(client().store().runs().resume(resume)).isFalse();
        assertThat(client().claim(5)).hasSize(2);
    }

    @Test
    default void whatCanBeNoPatternIsNotKept() {
        RunViews views = client().store().views();
        for (String pattern : List.of("a*b", "*/a", " ", "a**")) {
            assertThatThrownBy(
                            () -> client().store().runs().pause(new PauseRequest("acme", pattern, "carol", "x", null)))
                    .as(pattern)
                    .isInstanceOf(InvalidSettingException.class);
        }
        assertThat(views.pauses(null)).isEmpty();
    }

    @Test
    default void aPatternThatCanBeNoKeysNameIsNotKept() {
        for (String pattern : List.of("x".repeat(512) + "*", "a\u0007*", "e\u0301*")) {
            assertThatThrownBy(
                            () -> client().store().runs().pause(new PauseRequest("acme", pattern, "carol", "x", null)))
                    .as("of %d characters", pattern.length())
                    .isInstanceOf(InterlockException.class);
        }
        client().store().runs().pause(new PauseRequest("acme", "other", "carol", "upgrade", null));
        assertThat(client().store().views().pauses(null))
                .extracting(Pause::pattern)
                .containsExactly("other");
        assertThat(client().store().audit().unsealed(10))
                .as("the log is readable")
                .hasSize(1);
        client().starts(key("a"), spec());
    }

    @Test
    default void aPauseEndsByItselfAndLeavesHoldersAlone() {
        client().starts(key("held"), spec());
        Claimed work = client().claim();
        client().store().runs().pause(new PauseRequest("acme", "held", "carol", "lunch", Duration.ofSeconds(20)));
        assertThat(client().heartbeat(work)).isInstanceOf(HeartbeatAnswer.Beating.class);
        Run next = client().queues(key("held"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        client().succeeds(work);
        client().is(next.id(), RunState.QUEUED);
        advance(Duration.ofSeconds(21));
        assertThat(client().claim().run().id()).isEqualTo(next.id());
    }

    @Test
    default void timesMayBeLongerThanAnybodyLives() {
        Duration long_ = Duration.ofDays(1_000_000);
        RunLimits limits = new RunLimits(long_, long_, long_);
        SubmitRequest.Idempotency named = new SubmitRequest.Idempotency("long", "print", long_);
        SubmitRequest request = SubmitRequest.of(RunClient.freshRun(), key("long"), spec().limits(limits))
                .knownBy(named);
        client().submit(request);
        client().store().runs().pause(new PauseRequest("acme", "long", "carol", "for good", long_));
        assertThat(client().claim(1)).isEmpty();
        assertThat(client().submit(SubmitRequest.of(RunClient.freshRun(), key("long"), spec())
                        .knownBy(named)))
                .isInstanceOf(SubmitAnswer.Duplicate.class);
        client().store().runs().resume(new ResumeRequest("acme", "long", "carol", "not that long"));
        client().succeeds(client().claim());
    }
}
