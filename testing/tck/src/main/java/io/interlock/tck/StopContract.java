package io.interlock.tck;

import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.FencingToken;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LossCause;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Ending;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.RunLimits;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.run.RunSteps.CancelRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Cancelling and evicting. */
interface StopContract extends RunContract {

    private CancelAnswer cancel(Run run) {
        return client().store().runs().cancel(new CancelRequest(run.id(), "carol", "not needed"));
    }

    @Test
    default void whatHasNotStartedIsCancelledAtOnce() {
        Run pending = client().starts(key("cancel"), spec()).run();
        Run queued = client().queues(key("cancel"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        Run last = client().queues(key("cancel"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        assertThat(cancel(queued)).isInstanceOf(CancelAnswer.Cancelled.class);
        client().ended(queued.id(), RunState.ABORTED, "CANCELLED");
        assertThat(cancel(pending)).isInstanceOf(CancelAnswer.Cancelled.class);
        client().is(last.id(), RunState.PENDING);
        assertThat(cancel(pending)).isInstanceOf(CancelAnswer.Over.class);
    }

    @Test
    default void whoWorksHearsThatItShallStop() {
        Run run = client().starts(key("stop"), spec().retry(new RetryPlan(3, Duration.ZERO, 1, Duration.ZERO)))
                .run();
        Claimed work = client().claim();
        assertThat(cancel(run)).isInstanceOf(CancelAnswer.StopRequested.class);
        client().is(run.id(), RunState.RUNNING);
        HeartbeatAnswer.Beating beating = as(HeartbeatAnswer.Beating.class, client().heartbeat(work));
        assertThat(beating.stopRequest().orElseThrow().actor()).isEqualTo("carol");
        client().failsForNow(work);
        client().ended(run.id(), RunState.ABORTED, "CANCELLED");
    }

    @Test
    default void nobodyKnowsAnUnknownRun() {
        assertThat(client().store().runs().cancel(new CancelRequest(RunClient.freshRun(), "carol", "typo")))
                .isInstanceOf(CancelAnswer.Unknown.class);
    }

    @Test
    default void anEvictedRunIsOverAndItsKeyOpensWhenItHasStopped() {
        client().starts(key("evict"), spec().retry(new RetryPlan(3, Duration.ZERO, 1, Duration.ZERO)));
        Claimed work = client().claim();
        Run next = client().queues(key("evict"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        FencingToken token = work.lease().token();
        assertThat(evict(work, new FencingToken(token.value() + 1))).isInstanceOf(EvictAnswer.Mismatch.class);
        client().is(work.run().id(), RunState.RUNNING);
        assertThat(evict(work, token)).isInstanceOf(EvictAnswer.Evicted.class);
        client().ended(work.run().id(), RunState.ABORTED, "EVICTED");
        assertThat(as(HeartbeatAnswer.Lost.class, client().heartbeat(work)).cause())
                .isEqualTo(LossCause.EVICTED);
        client().is(next.id(), RunState.QUEUED);
        FinishAnswer stopped = client().finish(work, new Ending.Succeeded(null));
        assertThat(as(FinishAnswer.LeaseLost.class, stopped).cause()).isEqualTo(LossCause.EVICTED);
        client().ended(work.run().id(), RunState.ABORTED, "EVICTED");
        client().is(next.id(), RunState.PENDING);
        assertThat(client().store().audit().records(key("evict")))
                .anySatisfy(
                        record -> assertThat(record.actor() + record.reason()).isEqualTo("carolstuck"));
    }

    @Test
    default void theKeyOfAnEvictedRunOpensAtItsOldEnd() {
        client().starts(key("evict-end"), spec());
        Claimed work = client().claim();
        Run next = client().queues(key("evict-end"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        evict(work, work.lease().token());
        advance(Duration.ofSeconds(25));
        client().store().upkeep().sweepRuns(10);
        client().is(next.id(), RunState.QUEUED);
        advance(Duration.ofSeconds(6));
        client().store().upkeep().sweepRuns(10);
        client().is(next.id(), RunState.PENDING);
    }

    private EvictAnswer evict(Claimed work, FencingToken token) {
        return client().store().evict(new EvictRequest(work.run().key(), token, "carol", "stuck"));
    }

    @Test
    default void evictingARunThatOnlyHadItsGraceLeftLetsTheNextHaveTheKey() {
        RunLimits limits = new RunLimits(null, null, Duration.ofMinutes(5));
        client().starts(key("grace"), spec().limits(limits));
        Claimed work = client().claim();
        Run next = client().queues(key("grace"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        advance(Duration.ofSeconds(31));
        evict(work, work.lease().token());
        client().ended(work.run().id(), RunState.ABORTED, "EVICTED");
        client().is(next.id(), RunState.PENDING);
    }
}
