package io.interlock.tck;

import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseTerms;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.RunStatus;
import io.interlock.run.RunStatus.Stage;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Heartbeats, and runs whose worker vanished. */
interface LostRunContract extends RunContract {

    @Test
    default void beatsKeepTheLeaseAndTheStages() {
        client().starts(key("heartbeat"), spec());
        Claimed work = client().claim();
        client().heartbeat(work, "read");
        advance(Duration.ofSeconds(20));
        client().heartbeat(work, "read");
        HeartbeatAnswer.Beating beating = as(HeartbeatAnswer.Beating.class, client().heartbeat(work, "write"));
        assertThat(beating.lease().expiresAt()).isAfter(work.lease().expiresAt());
        advance(Duration.ofSeconds(20));
        assertThat(client().run(work.run().id()).status().stages())
                .extracting(Stage::name)
                .containsExactly("read", "write");
        client().succeeds(work);
        assertThat(as(HeartbeatAnswer.Lost.class, client().heartbeat(work)).cause())
                .isEqualTo(LossCause.GONE);
    }

    @Test
    default void onlyTheLastStagesAreKept() {
        client().starts(key("stages"), spec());
        Claimed work = client().claim();
        for (int i = 1; i <= RunStatus.MOST_STAGES + 2; i++) {
            assertThat(client().heartbeat(work, "batch " + i)).isInstanceOf(HeartbeatAnswer.Beating.class);
        }
        assertThat(client().run(work.run().id()).status().stages())
                .extracting(Stage::name)
                .hasSize(RunStatus.MOST_STAGES)
                .startsWith("batch 3")
                .endsWith("batch " + (RunStatus.MOST_STAGES + 2));
    }

    @Test
    default void aLostAttemptIsTriedAgainByTheNextStepThatComes() {
        client().starts(key("lost"), spec().retry(new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO)));
        Claimed work = client().claim();
        advance(Duration.ofSeconds(31));
        Claimed again = client().claim();
        assertThat(again.run().id()).isEqualTo(work.run().id());
        assertThat(again.lease().token()).isGreaterThan(work.lease().token());
        assertThat(as(HeartbeatAnswer.Lost.class, client().heartbeat(work)).cause())
                .isEqualTo(LossCause.GONE);
        advance(Duration.ofSeconds(31));
        assertThat(client().store().upkeep().sweepRuns(10))
                .anySatisfy(action -> assertThat(action.state()).isEqualTo(RunState.DEAD));
        client().ended(work.run().id(), RunState.DEAD, "WORKER_TIMEOUT");
        assertThat(client().store().upkeep().sweepRuns(10))
                .as("nothing is left to do")
                .isEmpty();
    }

    @Test
    default void theGracePutsOffTheVerdictAndKeepsTheKey() {
        RunLimits limits = new RunLimits(null, null, Duration.ofMinutes(5));
        client().starts(key("grace"), spec().limits(limits));
        Claimed work = client().claim();
        advance(Duration.ofMinutes(2));
        client().store().upkeep().sweepRuns(10);
        client().is(work.run().id(), RunState.RUNNING);
        assertThat(new Client(client().store()).refusal(key("grace"))).isInstanceOf(Refusal.Delayed.class);
        client().store().sweep(10);
        advance(Duration.ofMinutes(4));
        client().store().upkeep().sweepRuns(10);
        client().ended(work.run().id(), RunState.FAILED, "WORKER_TIMEOUT");
        new Client(client().store()).take(key("grace"));
    }

    @Test
    default void theLockDelayKeepsTheKeyAfterTheVerdict() {
        LeaseTerms terms = new LeaseTerms(Duration.ofSeconds(30), Duration.ofSeconds(20));
        client().starts(key("delay"), spec().terms(terms));
        Claimed work = client().claim();
        Run next = client().queues(key("delay"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        advance(Duration.ofSeconds(35));
        client().store().upkeep().sweepRuns(10);
        client().ended(work.run().id(), RunState.FAILED, "WORKER_TIMEOUT");
        assertThat(client().refused(key("delay"), spec())).isInstanceOf(Refusal.Delayed.class);
        client().is(next.id(), RunState.QUEUED);
        advance(Duration.ofSeconds(20));
        assertThat(client().claim().run().id()).isEqualTo(next.id());
    }

    @Test
    default void afterItsMaxRuntimeARunIsNotRenewedByAnybody() {
        RunLimits limits = new RunLimits(null, Duration.ofSeconds(40), Duration.ZERO);
        client().starts(key("runtime"), spec().limits(limits));
        Claimed work = client().claim();
        advance(Duration.ofSeconds(25));
        assertThat(client().heartbeat(work)).isInstanceOf(HeartbeatAnswer.Beating.class);
        advance(Duration.ofSeconds(16));
        assertThat(as(HeartbeatAnswer.Lost.class, client().heartbeat(work)).cause())
                .isEqualTo(LossCause.OVERDUE);
        RenewAnswer renewed = client().store()
                .renew(List.of(new RenewRequest(
                        work.run().key(), work.lease().id(), work.lease().token(), Duration.ofSeconds(30))))
                .only();
        assertThat(as(RenewAnswer.Lost.class, renewed).cause()).isEqualTo(LossCause.OVERDUE);
        client().is(work.run().id(), RunState.RUNNING);
        advance(Duration.ofSeconds(20));
        client().store().upkeep().sweepRuns(10);
        client().ended(work.run().id(), RunState.TIMED_OUT, "MAX_RUNTIME");
        assertThat(client().run(work.run().id()).status().error())
                .hasToString("RunError[code=MAX_RUNTIME, message=took longer than its max runtime, at stage copy]");
    }

    private static RunSpec limitedRuntime() {
        return spec().limits(new RunLimits(null, Duration.ofSeconds(40), Duration.ZERO))
                .retry(new RetryPlan(2, Duration.ofMinutes(1), 1, Duration.ofMinutes(1)));
    }

    @Test
    default void aWorkerThatDiesShortlyBeforeItsMaxRuntimeIsReplaced() {
        client().starts(key("died"), limitedRuntime());
        Claimed work = client().claim();
        advance(Duration.ofSeconds(25));
        assertThat(client().heartbeat(work))
                .as("its lease now ends after its max runtime")
                .isInstanceOf(HeartbeatAnswer.Beating.class);
        advance(Duration.ofSeconds(31));
        client().store().upkeep().sweepRuns(10);
        client().ended(work.run().id(), RunState.QUEUED, "WORKER_TIMEOUT");
        advance(Duration.ofSeconds(61));
        assertThat(client().claim().run().id()).isEqualTo(work.run().id());
    }

    @Test
    default void aWorkerThatIsToldThatItsMaxRuntimeIsOverIsNotReplaced() {
        client().starts(key("too-slow"), limitedRuntime());
        Claimed work = client().claim();
        advance(Duration.ofSeconds(25));
        client().heartbeat(work);
        advance(Duration.ofSeconds(16));
        assertThat(as(HeartbeatAnswer.Lost.class, client().heartbeat(work)).cause())
                .isEqualTo(LossCause.OVERDUE);
        advance(Duration.ofSeconds(31));
        client().store().upkeep().sweepRuns(10);
        client().ended(work.run().id(), RunState.TIMED_OUT, "MAX_RUNTIME");
    }

    @Test
    default void aWorkerThatRenewsItsLeaseAndIsToldThatItsMaxRuntimeIsOverIsNotReplaced() {
        client().starts(key("too-slow-lease"), limitedRuntime());
        Claimed work = client().claim();
        advance(Duration.ofSeconds(25));
        new Client(client().store()).renewed(work.lease(), Duration.ofSeconds(30));
        advance(Duration.ofSeconds(16));
        assertThat(new Client(client().store()).lost(work.lease()).cause()).isEqualTo(LossCause.OVERDUE);
        advance(Duration.ofSeconds(31));
        client().store().upkeep().sweepRuns(10);
        client().ended(work.run().id(), RunState.TIMED_OUT, "MAX_RUNTIME");
    }
}
