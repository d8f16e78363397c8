package io.interlock.tck;

import static io.interlock.tck.RunClient.ERROR;
import static io.interlock.tck.RunClient.freshRun;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.RunId;
import io.interlock.run.Claimed;
import io.interlock.run.Ending;
import io.interlock.run.LineLimits;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResumeRequest;
import io.interlock.spi.run.SubmitRequest;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Keys that nobody can have now, however many, hide none that somebody can have. */
interface CrowdedStoreContract extends RunContract {

    /** More than a store looks at in one step. */
    int MANY = 120;

    LineLimits ONE_AT_A_TIME = new LineLimits(10, 1);

    private static RunSpec queued() {
        return spec().policy(ConflictPolicy.QUEUE);
    }

    private static Stream<String> many(String prefix) {
        return IntStream.range(0, MANY).mapToObj(i -> prefix + i);
    }

    private void pause(String pattern) {
        client().store().pause(new PauseRequest("acme", pattern, "carol", "upgrade", null));
    }

    private Run submitted(String name, RunSpec spec, LineLimits limits) {
        return client().submitted(SubmitRequest.of(freshRun(), key(name), spec).within(limits));
    }

    /** Claims a few times: a store need not settle everything in one step, but it must get on. */
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
            bare.take(Asking.forKey(key(name), Duration.ofSeconds(20)));
            client().queues(key(name), queued());
        });
        bare.take(Asking.forKey(key("next")));
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
        client().store().resume(new ResumeRequest("acme", "*", "carol", "done"));
        Set<RunId> begun = IntStream.range(0, 4)
                .mapToObj(i -> client().claim(100))
                .flatMap(List::stream)
                .map(work -> work.run().id())
                .collect(Collectors.toSet());
        assertThat(begun).isEqualTo(waiting);
    }
}
