package io.interlock.tck;

import static io.interlock.tck.RunClient.WORKER;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Holder;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Claiming runs. */
interface ClaimContract extends RunContract {

    @Test
    default void aClaimStartsTheRunUnderALease() {
        Run run = client().starts(key("work"), spec()).run();
        Claimed claimed = client().claim();
        assertThat(claimed.run().id()).isEqualTo(run.id());
        assertThat(claimed.run().state()).isEqualTo(RunState.RUNNING);
        assertThat(claimed.run().status().attempts()).isEqualTo(1);
        assertThat(claimed.lease().isLive()).isTrue();
        assertThat(claimed.lease().holder()).isEqualTo(WORKER.forRun(run.id()));
        assertThat(client().store()
                        .find(List.of(key("work")))
                        .get(0)
                        .orElseThrow()
                        .token())
                .isEqualTo(claimed.lease().token());
        assertThat(client().claim(10)).isEmpty();
    }

    @Test
    default void theSameClaimIsTheSameWork() {
        client().starts(key("one"), spec());
        client().starts(key("two"), spec());
        client().starts(key("three"), spec());
        ClaimRequest request = RunClient.claiming(2);
        List<Claimed> first = client().store().work().claim(request);
        List<Claimed> again = client().store().work().claim(request);
        assertThat(first).hasSize(2);
        assertThat(again)
                .extracting(work -> work.lease().token())
                .containsExactlyInAnyOrderElementsOf(
                        first.stream().map(work -> work.lease().token()).toList());
        assertThat(client().claim(10)).hasSize(1);
    }

    @Test
    default void aClaimShowsNothingOfOneThatIsNamedAlike() {
        client().starts(key("secret"), spec());
        UUID name = new UUID(2, 1);
        Set<JobName> jobs = Set.of(RunClient.JOB);
        ClaimRequest mine = new ClaimRequest(name, WORKER, "acme", jobs, 5);
        assertThat(client().store().work().claim(mine)).hasSize(1);
        assertThat(client().store().work().claim(new ClaimRequest(name, WORKER, "globex", jobs, 5)))
                .as("of another tenant")
                .isEmpty();
        Holder stranger = new Holder("host-3/1", WORKER.label());
        assertThat(client().store().work().claim(new ClaimRequest(name, stranger, "acme", jobs, 5)))
                .as("of another worker")
                .isEmpty();
        assertThat(client().store().work().claim(mine)).hasSize(1);
    }

    @Test
    default void whatIsHigherIsClaimedFirst() {
        client().starts(key("low"), spec());
        Run high = client().starts(key("high"), spec().priority(3)).run();
        assertThat(client().claim().run().id()).isEqualTo(high.id());
    }

    @Test
    default void onlyWhatTheWorkerCanDoIsClaimed() {
        client().starts(key("strange"), spec());
        ClaimRequest other = new ClaimRequest(new UUID(1, 1), WORKER, "acme", Set.of(new JobName("other")), 5);
        assertThat(client().store().work().claim(other)).isEmpty();
        ClaimRequest stranger = new ClaimRequest(new UUID(1, 2), WORKER, "globex", Set.of(RunClient.JOB), 5);
        assertThat(client().store().work().claim(stranger)).isEmpty();
        client().claim();
    }

    @Test
    default void whoWorksForAllTenantsServesThemInTurn() {
        client().starts(key("one"), spec().priority(5));
        client().starts(key("two"), spec().priority(5));
        Run other = client().starts(LockKey.of("globex", "one"), spec()).run();
        ClaimRequest all = new ClaimRequest(new UUID(1, 3), WORKER, null, Set.of(RunClient.JOB), 2);
        assertThat(client().store().work().claim(all))
                .extracting(work -> work.run().id())
                .as("not two of acme's, though both are higher")
                .hasSize(2)
                .contains(other.id());
    }

    @Test
    default void tenantsTakeTurnsFromClaimToClaim() {
        for (int i = 0; i < 6; i++) {
            client().starts(key("many-" + i), spec().priority(5));
        }
        client().starts(LockKey.of("globex", "one"), spec());
        client().starts(LockKey.of("globex", "two"), spec());
        List<String> tenants = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ClaimRequest one = new ClaimRequest(new UUID(3, i), WORKER, null, Set.of(RunClient.JOB), 1);
            client().store()
                    .work()
                    .claim(one)
                    .forEach(work -> tenants.add(work.run().key().tenant()));
        }
        assertThat(tenants)
                .as("though acme has more runs, all of them earlier and higher")
                .containsExactly("acme", "globex", "acme", "globex", "acme");
    }

    @Test
    default void aQuietStoreGivesNoWork() {
        client().starts(key("quiet"), spec());
        client().store().bumpEpoch("a backup was restored");
        assertThat(client().claim(1)).isEmpty();
        advance(client().store().capabilities().maxLease().plusSeconds(1));
        client().claim();
    }
}
