package io.interlock.spi.run.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.JobName;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.run.SweepAction;
import io.interlock.run.Transition;
import io.interlock.spi.run.RunSteps.MoveRequest;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.rules.StepContext.TenantSlots;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Cases that a working store cannot produce or show; the contract has the others. */
class SettlementTest {

    private final OneKey key = new OneKey();

    @Test
    void aRunWithoutItsLeaseHasFailedAndSoHasItsResource() {
        submit(7, guarded());
        assertThat(key.lease).isNotNull();
        key.lease = null;

        KeyState orphaned = key.load();
        List<SweepAction> done = Settlement.settle(orphaned);

        assertThat(done)
                .singleElement()
                .satisfies(action -> assertThat(action.state()).isEqualTo(RunState.FAILED));
        assertThat(orphaned.changes().runs())
                .singleElement()
                .extracting(run -> run.status().error())
                .extracting(RunError::code)
                .isEqualTo(RunError.LOCK_STATE_LOST);
        assertThat(orphaned.resource().orElseThrow())
                .extracting(Resource::state, Resource::owner)
                .containsExactly("BROKEN", null);
        assertThat(orphaned.changes().attempts()).hasSize(1);
    }

    @Test
    void nothingIsDueOnAKeyUnderWhichWorkGoesOn() {
        submit(7, guarded());
        KeyState later = key.load();
        assertThat(Settlement.settle(later)).isEmpty();
        assertThat(later.changes().isEmpty()).isTrue();
        assertThat(later.lease()).contains(key.lease);
        assertThat(later.resource()).contains(key.resource);
    }

    @Test
    void ofTwoRunsUnderOneKeyNoneIsTrusted() {
        submit(7, guarded());
        Run first = key.open.values().iterator().next();
        Run second = new Run(
                new RunId(new UUID(8, 8)),
                OneKey.KEY,
                2,
                OneKey.START,
                RunSpec.of(new JobName("destroy"), "bob"),
                first.line(),
                first.status());
        key.open.put(second.id(), second);

        KeyState tampered = key.load();
        assertThat(Settlement.settle(tampered)).extracting(SweepAction::run).containsExactly(first.id(), second.id());
        assertThat(tampered.changes().runs())
                .allSatisfy(run -> assertThat(run.state()).isEqualTo(RunState.FAILED))
                .extracting(run -> run.status().error())
                .extracting(RunError::code)
                .containsOnly(RunError.OVERLAPPING_GRANTS);
        assertThat(tampered.lease())
                .as("closed until both must have stopped")
                .hasValueSatisfying(lease -> assertThat(lease.eviction()).isNotNull());
    }

    @Test
    void aCallerThatCouldNotReportIsDueLaterAndNotWithEveryStep() {
        submit(1, queued());
        submit(2, queued());
        key.advance(Duration.ofSeconds(20));
        key.heardSince = key.now;

        assertThat(key.step(Settlement::settle)).isEmpty();

        Run waiting = Objects.requireNonNull(key.open.get(id(2)));
        assertThat(waiting.state()).isEqualTo(RunState.QUEUED);
        assertThat(DueRules.ofWaiting(waiting, key.now)).isAfter(key.now.plus(Waiter.STALE_AFTER));
        key.advance(Waiter.STALE_AFTER.plusMillis(1));
        assertThat(key.step(Settlement::settle)).extracting(SweepAction::run).contains(id(2));
    }

    @Test
    void aLongQueueThatWaitsForAPlaceOfItsTenantIsNotDue() {
        LineLimits one = new LineLimits(1000, 1);
        key.busyElsewhere = 1;
        for (int i = 1; i <= 150; i++) {
            SubmitRequest request =
                    SubmitRequest.of(id(i), OneKey.KEY, queued()).within(one);
            key.step(state -> SubmitRules.submit(state, request));
        }
        KeyState state = key.load();
        assertThat(Settlement.settle(state)).isEmpty();
        assertThat(DueRules.ofKey(state)).isNull();
        assertThat(QueueRules.waitsForPlace(state)).map(Run::id).contains(id(1));
        key.busyElsewhere = 0;
        assertThat(key.step(Settlement::settle)).extracting(SweepAction::run).containsExactly(id(1));
    }

    @Test
    void aPlaceIsLeftToARunOfAnotherKeyThatComesBeforeTheFirstOfThisOne() {
        LineLimits one = new LineLimits(10, 1);
        key.busyElsewhere = 1;
        key.step(state -> SubmitRules.submit(
                state, SubmitRequest.of(id(5), OneKey.KEY, queued()).within(one)));
        key.busyElsewhere = 0;
        key.rival = new TenantSlots.Rival(QueueRules.place(OneKey.START, 100), 9);
        KeyState yielding = key.load();
        assertThat(Settlement.settle(yielding)).isEmpty();
        assertThat(QueueRules.waitsForPlace(yielding)).map(Run::id).contains(id(5));
        key.rival = new TenantSlots.Rival(QueueRules.place(OneKey.START, 0), 9);
        assertThat(key.step(Settlement::settle)).as("it came first").hasSize(1);
    }

    @Test
    void runsThatMayNotStartEndAHundredInAStepAndAllAreTold() {
        submit(1, queued());
        Transition never = new Transition("cluster", Set.of("READY"), "MOVING", "READY", "BROKEN");
        for (int i = 2; i <= 251; i++) {
            SubmitRequest request = SubmitRequest.of(id(i), OneKey.KEY, queued().guard(never));
            key.step(state -> SubmitRules.submit(state, request));
        }
        key.open.remove(id(1));
        key.lease = null;
        for (int left : new int[] {150, 50, 0}) {
            KeyState state = key.load();
            assertThat(Settlement.settle(state))
                    .hasSize(left == 0 ? 50 : 100)
                    .allSatisfy(action -> assertThat(action.state()).isEqualTo(RunState.FAILED));
            assertThat(DueRules.ofKey(state)).isEqualTo(left == 0 ? null : key.now);
            key.keep(state);
            assertThat(key.open).hasSize(left);
        }
    }

    /** All are submitted at one moment, so the lower number decides where the place is the same. */
    @Test
    void aRunIsMovedToTheFrontWithTheLeastPriority() {
        submit(1, queued());
        submit(2, queued().priority(-3));
        submit(3, queued());
        submit(4, queued().priority(-3));
        assertThat(priorityAtTheFront(2)).isZero();
        assertThat(priorityAtTheFront(4)).isEqualTo(1);
    }

    private int priorityAtTheFront(int number) {
        Run run = Objects.requireNonNull(key.open.get(id(number)));
        key.step(state -> MoveRules.toFront(state, new MoveRequest(run.id(), Actor.of("carol"), "month end"), run));
        assertThat(key.load().front(Set.of(), 1)).extracting(Run::id).containsExactly(run.id());
        return Objects.requireNonNull(key.open.get(run.id())).spec().priority();
    }

    private static RunId id(int number) {
        return new RunId(new UUID(7, number));
    }

    private static RunSpec queued() {
        return RunSpec.of(new JobName("create"), "alice").policy(ConflictPolicy.QUEUE);
    }

    private static RunSpec guarded() {
        return RunSpec.of(new JobName("create"), "alice")
                .guard(new Transition("cluster", Set.of(Resource.UNTOUCHED), "CREATING", "READY", "BROKEN"));
    }

    private void submit(int number, RunSpec spec) {
        SubmitRequest request = SubmitRequest.of(id(number), OneKey.KEY, spec)
                .by(new SubmitRequest.Caller(new LeaseId(new UUID(1, number)), new Holder("host/1", "alice")));
        key.step(state -> SubmitRules.submit(state, request));
    }
}
