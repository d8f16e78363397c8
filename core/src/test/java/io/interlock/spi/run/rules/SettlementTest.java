package io.interlock.spi.run.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.JobName;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunSpec;
import io.interlock.run.SweepAction;
import io.interlock.run.Transition;
import io.interlock.spi.run.SubmitRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What cannot be brought about through a store that works: the contract has the rest. */
class SettlementTest {

    private static final LockKey KEY = LockKey.of("acme", "cluster");
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void aRunWithoutItsLeaseHasFailedAndSoHasItsResource() {
        Room before = room(new Contents(null, 0, null, Map.of(), null));
        Submission.submit(before, request());
        Contents running = before.contents();
        assertThat(running.lease()).isNotNull();

        Room orphaned = room(new Contents(null, running.lastToken(), null, running.runs(), running.resource()));
        List<SweepAction> done = Settlement.settle(orphaned);

        assertThat(done)
                .singleElement()
                .satisfies(action -> assertThat(action.state()).isEqualTo(RunState.FAILED));
        assertThat(orphaned.changes().runs())
                .singleElement()
                .extracting(run -> run.status().error())
                .extracting(RunError::code)
                .isEqualTo(RunError.LOCK_STATE_LOST);
        assertThat(orphaned.contents().resource())
                .extracting(Resource::state, Resource::owner)
                .containsExactly("BROKEN", null);
        assertThat(orphaned.changes().attempts()).hasSize(1);
    }

    @Test
    void nothingIsDueInARoomWhereWorkGoesOn() {
        Room before = room(new Contents(null, 0, null, Map.of(), null));
        Submission.submit(before, request());
        Room later = room(before.contents());
        assertThat(Settlement.settle(later)).isEmpty();
        assertThat(later.contents()).isEqualTo(before.contents());
        assertThat(later.changes().runs()).extracting(Run::id).isEmpty();
        assertThat(later.changes().audit()).isEmpty();
    }

    @Test
    void ofTwoRunsUnderOneKeyNoneIsTrusted() {
        Room before = room(new Contents(null, 0, null, Map.of(), null));
        Submission.submit(before, request());
        Contents one = before.contents();
        Run first = one.runs().values().iterator().next();
        Run second = new Run(
                new RunId(new UUID(8, 8)),
                KEY,
                2,
                NOW,
                RunSpec.of(new JobName("destroy"), "bob"),
                first.line(),
                first.status());
        Room tampered = room(new Contents(
                one.lease(), one.lastToken(), null, Map.of(first.id(), first, second.id(), second), one.resource()));

        assertThat(Settlement.settle(tampered)).extracting(SweepAction::run).containsExactly(first.id(), second.id());
        assertThat(tampered.changes().runs())
                .allSatisfy(run -> assertThat(run.state()).isEqualTo(RunState.FAILED))
                .extracting(run -> run.status().error())
                .extracting(RunError::code)
                .containsOnly(RunError.OVERLAPPING_GRANTS);
        assertThat(tampered.contents().lease())
                .as("closed until both must have stopped")
                .isNotNull()
                .satisfies(lease -> assertThat(lease.eviction()).isNotNull());
    }

    private static SubmitRequest request() {
        RunSpec spec = RunSpec.of(new JobName("create"), "alice")
                .guard(new Transition("cluster", Set.of(Resource.UNTOUCHED), "CREATING", "READY", "BROKEN"));
        return SubmitRequest.of(new RunId(new UUID(7, 7)), KEY, spec)
                .by(new SubmitRequest.Caller(new LeaseId(new UUID(1, 1)), new Holder("host/1", "alice")));
    }

    private static Room room(Contents contents) {
        return new Room(new Facts(KEY, NOW, 0, 0, null, List.of(), 0, 1, 0.5), contents);
    }
}
