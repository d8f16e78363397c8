package io.interlock.tck;

import static io.interlock.tck.RunClient.ERROR;
import static io.interlock.tck.RunClient.freshRun;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Ending;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.Summary.RunCount;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Any number of blocked keys does not hide a key that can be granted. */
interface CrowdedStoreContract extends RunContract {

    /** More than a store checks in one step. */
    int MANY = 120;

    /** More than a store checks in a few steps. */
    int VERY_MANY = 300;

    LineLimits ONE_AT_A_TIME = new LineLimits(10, 1);

    private static RunSpec queued() {
        return spec().policy(ConflictPolicy.QUEUE);
    }

    private static Stream<String> many(String prefix) {
        return IntStream.range(0, MANY).mapToObj(i -> prefix + i);
    }

    private static Stream<String> veryMany(String prefix) {
        return IntStream.range(0, VERY_MANY).mapToObj(i -> prefix + i);
    }

    /** Claims and sweeps often enough for all runs, if each starts a hundred. */
    private Set<RunId> begunSoon() {
        Set<RunId> begun = new HashSet<>();
        for (int round = 0; round <= VERY_MANY / 50; round++) {
            client().store().upkeep().sweepRuns(100);
            client().claim(100).forEach(work -> begun.add(work.run().id()));
        }
        return begun;
    }

    private long pending(String tenant) {
        return client().store().views().runCounts().stream()
                .filter(count -> count.tenant().equals(tenant) && count.state() == RunState.PENDING)
                .mapToLong(RunCount::count)
                .sum();
    }

    private void pause(String pattern) {
        client().store().runs().pause(new PauseRequest("acme", pattern, "carol", "upgrade", null));
    }

    private Run submitted(String name, RunSpec spec, LineLimits limits) {
        return client().submitted(SubmitRequest.of(freshRun(), key(name), spec).within(limits));
    }

    /** Claims a few times: a store need not settle everything in one step, but must make progress. */
    private List<Run> claimed() {
        return IntStream.range(0, 3)
                .mapToObj(i -> client().claim(1))
                .flatMap(List::stream)
                .map(Claimed::run)
                .toList();
    }

    @Test
    default void pausedKeysHideNoneThatWaitsForItsTenantsLimit() {
        submitted("busy", spec(), ONE_AT_A_TIME);
        Claimed work = client().claim();
        pause("paused/*");
        many("paused/").forEach(name -> submitted(name, queued(), ONE_AT_A_TIME));
        Run next = submitted("next", queued(), ONE_AT_A_TIME);
        client().succeeds(work);
        assertThat(claimed()).extracting(Run::id).containsExactly(next.id());
    }

    @Test
    default void restingRunsHideNoneThatWaitsForItsTenantsLimit() {
        RetryPlan twice = new RetryPlan(2, Duration.ofHours(1), 1, Duration.ofHours(1));
        many("resting/").forEach(name -> submitted(name, queued().retry(twice), new LineLimits(10, 2 * MANY)));
        Stream.of(MANY / 2, MANY / 2)
                .flatMap(half -> client().claim(half).stream())
                .forEach(work -> client().finished(work, new Ending.Failed(ERROR, true, Duration.ofHours(1))));
        submitted("busy", spec(), ONE_AT_A_TIME);
        Claimed work = client().claim();
        Run next = submitted("next", queued(), ONE_AT_A_TIME);
        client().succeeds(work);
        assertThat(claimed()).extracting(Run::id).containsExactly(next.id());
    }

    @Test
    default void leasesThatAreOverHideNoKeyThatOpensLater() {
        Client bare = new Client(client().store());
        many("paused/").forEach(name -> {
            bare.take(ContractRequests.forKey(key(name), Duration.ofSeconds(20)));
            client().queues(key(name), queued());
        });
        bare.take(ContractRequests.forKey(key("next")));
        Run next = client().queues(key("next"), queued()).run();
        pause("paused/*");
        advance(Duration.ofSeconds(31));
        assertThat(claimed()).extracting(Run::id).containsExactly(next.id());
    }

    @Test
    default void theEndOfAPauseLetsAllHaveTheirTurn() {
        pause("*");
        Set<RunId> waiting = many("many/")
                .map(name -> client().queues(key(name), queued()).run().id())
                .collect(Collectors.toSet());
        client().store().runs().resume(new ResumeRequest("acme", "*", "carol", "done"));
        Set<RunId> begun = IntStream.range(0, 4)
                .mapToObj(i -> client().claim(100))
                .flatMap(List::stream)
                .map(work -> work.run().id())
                .collect(Collectors.toSet());
        assertThat(begun).isEqualTo(waiting);
    }

    @Test
    default void theEndOfAPauseSettlesAFewKeysAndLeavesTheOthersToClaimsAndSweeps() {
        pause("many/*");
        Set<RunId> waiting = veryMany("many/")
                .map(name -> client().queues(key(name), queued()).run().id())
                .collect(Collectors.toSet());
        client().store().runs().resume(new ResumeRequest("acme", "many/*", "carol", "done"));
        assertThat(pending("acme")).as("settled before it returned").isBetween(1L, 150L);
        client().starts(LockKey.of("globex", "between"), spec());
        assertThat(client().claimFor("globex").run().key().name()).isEqualTo("between");
        assertThat(begunSoon()).isEqualTo(waiting);
    }

    @Test
    default void aPauseOverManyKeysThatEndsByItselfLetsAllHaveTheirTurn() {
        client().store().runs().pause(new PauseRequest("acme", "many/*", "carol", "lunch", Duration.ofSeconds(20)));
        Set<RunId> waiting = veryMany("many/")
                .map(name -> client().queues(key(name), queued()).run().id())
                .collect(Collectors.toSet());
        assertThat(client().claim(10)).isEmpty();
        advance(Duration.ofSeconds(21));
        assertThat(begunSoon()).isEqualTo(waiting);
    }

    @Test
    default void pausedRunsThatAreReadyForWorkersHideNoneThatIsNotPaused() {
        Set<RunId> paused = veryMany("paused/")
                .map(name -> client().starts(key(name), spec()).run().id())
                .collect(Collectors.toSet());
        pause("paused/*");
        Run next = client().starts(key("next"), spec()).run();
        assertThat(IntStream.range(0, 5).mapToObj(i -> client().claim(1)).flatMap(List::stream))
                .extracting(work -> work.run().id())
                .containsExactly(next.id());
        client().store().runs().resume(new ResumeRequest("acme", "paused/*", "carol", "done"));
        assertThat(begunSoon()).isEqualTo(paused);
    }

    @Test
    default void runsThatAreReadyForWorkersCanBeClaimedAgainWhenTheirPauseEndsByItself() {
        Set<RunId> paused = many("paused/")
                .map(name -> client().starts(key(name), spec()).run().id())
                .collect(Collectors.toSet());
        client().store().runs().pause(new PauseRequest("acme", "paused/*", "carol", "lunch", Duration.ofSeconds(20)));
        assertThat(claimed()).isEmpty();
        advance(Duration.ofSeconds(21));
        assertThat(begunSoon()).isEqualTo(paused);
    }
}
