package io.interlock.tck;

import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.BeatAnswer;
import io.interlock.run.Claimed;
import io.interlock.run.Run;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResumeRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Pausing keys. */
interface PauseContract extends RunContract {

    @Test
    default void nothingIsGrantedUnderAPausedPattern() {
        client().starts(key("pipeline/kept"), spec());
        client().store().pause(new PauseRequest("acme", "pipeline/*", "carol", "upgrade", null));
        assertThat(client().claim(1)).as("not even what the key is kept for").isEmpty();
        RunRefusal.Paused paused = as(RunRefusal.Paused.class, client().refused(key("pipeline/a"), spec()));
        assertThat(paused.explanation()).contains("carol", "upgrade");
        assertThat(new Client(client().store()).refusal(key("pipeline/a"))).isInstanceOf(RunRefusal.Paused.class);
        Run queued = client().queues(key("pipeline/a"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        new Client(client().store()).take(key("other"));
        new Client(client().store()).take(LockKey.of("globex", "pipeline/a"));
        ResumeRequest resume = new ResumeRequest("acme", "pipeline/*", "carol", "done");
        assertThat(client().store().resume(resume)).isTrue();
        client().is(queued.id(), RunState.PENDING);
        assertThat(client().store().resume(resume)).isFalse();
        assertThat(client().claim(5)).hasSize(2);
    }

    @Test
    default void aPauseEndsByItselfAndLeavesHoldersAlone() {
        client().starts(key("held"), spec());
        Claimed work = client().claim();
        client().store().pause(new PauseRequest("acme", "held", "carol", "lunch", Duration.ofSeconds(20)));
        assertThat(client().beat(work)).isInstanceOf(BeatAnswer.Beating.class);
        Run next = client().queues(key("held"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        client().succeeds(work);
        client().is(next.id(), RunState.QUEUED);
        advance(Duration.ofSeconds(21));
        assertThat(client().claim().run().id()).isEqualTo(next.id());
    }
}
