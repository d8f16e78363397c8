package io.interlock.tck;

import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.Claimed;
import io.interlock.run.JobName;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.OpenRuns;
import io.interlock.run.Pause;
import io.interlock.run.ResourceAnswer;
import io.interlock.run.ResourceQuery;
import io.interlock.run.Run;
import io.interlock.run.RunCount;
import io.interlock.run.RunSpec;
import io.interlock.run.Turn;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResourceRequest;
import io.interlock.spi.run.ResumeRequest;
import io.interlock.spi.run.RunViews;
import io.interlock.spi.run.SubmitRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Overviews. */
interface ViewsContract extends RunContract {

    private RunViews views() {
        return book(RunViews.class);
    }

    private List<String> names(KeyQuery query) {
        return views().keys(query).stream().map(view -> view.key().name()).toList();
    }

    private KeyView view(String name) {
        List<KeyView> found = views().keys(new KeyQuery("acme", name, null, 10));
        assertThat(found).as(name).hasSize(1);
        assertThat(found.get(0).key()).isEqualTo(key(name));
        return found.get(0);
    }

    private Run queue(String name) {
        return client().queues(key(name), spec().policy(ConflictPolicy.QUEUE)).run();
    }

    @Test
    default void aBareLeaseIsShown() {
        views();
        LeaseRecord lease = new Client(client().store()).take(key("bare"));
        KeyView view = view("bare");
        LeaseRecord seen = view.currentLease().orElseThrow();
        assertThat(seen.token()).isEqualTo(lease.token());
        assertThat(seen.holder()).isEqualTo(lease.holder());
        assertThat(seen.isLive()).isTrue();
        assertThat(view.currentRun()).isEmpty();
        assertThat(view.waiting()).isZero();
        assertThat(view.waitingSince()).isNull();
        assertThat(view.currentPause()).isEmpty();
        new Client(client().store()).released(lease);
        assertThat(names(KeyQuery.ofTenant("acme"))).isEmpty();
    }

    @Test
    default void aRunIsShownFromItsTurnToItsEnd() {
        views();
        Run run = client().starts(key("shown"), spec()).run();
        assertThat(view("shown").currentRun()).contains(run);
        assertThat(view("shown").currentLease()).as("no lease yet").isEmpty();
        Claimed work = client().claim();
        advance(Duration.ofSeconds(2));
        Run first = queue("shown");
        queue("shown");
        KeyView view = view("shown");
        assertThat(view.currentRun()).contains(client().run(run.id()));
        assertThat(view.currentRun().flatMap(shown -> shown.status().lastTurn()).map(Turn::token))
                .contains(work.lease().token());
        assertThat(view.currentLease().map(LeaseRecord::token))
                .contains(work.lease().token());
        assertThat(view.waiting()).isEqualTo(2);
        assertThat(view.waitingSince()).isEqualTo(first.submittedAt());
        assertThat(view.observedAt()).isAfterOrEqualTo(first.submittedAt());
        client().succeeds(work);
        assertThat(view("shown").currentRun()).contains(client().run(first.id()));
        assertThat(view("shown").waiting()).isEqualTo(1);
    }

    @Test
    default void aKeyThatIsOnlyWaitedForIsShown() {
        views();
        client().store().pause(new PauseRequest("acme", "waited/*", "carol", "upgrade", null));
        assertThat(names(KeyQuery.ofTenant("acme"))).as("a pause is not a key").isEmpty();
        Run waiting = queue("waited/for");
        KeyView view = view("waited/for");
        assertThat(view.currentLease()).isEmpty();
        assertThat(view.currentRun()).isEmpty();
        assertThat(view.waiting()).isEqualTo(1);
        assertThat(view.waitingSince()).isEqualTo(waiting.submittedAt());
        assertThat(view.currentPause().map(Pause::actor)).contains("carol");
    }

    @Test
    default void aPauseIsShownUntilItEnds() {
        views();
        new Client(client().store()).take(ContractRequests.forKey(key("paused"), Duration.ofMinutes(4)));
        client().store().pause(new PauseRequest("acme", "paused", "carol", "lunch", Duration.ofSeconds(20)));
        assertThat(view("paused").currentPause().map(Pause::reason)).contains("lunch");
        advance(Duration.ofSeconds(21));
        assertThat(view("paused").currentPause()).isEmpty();
    }

    @Test
    default void anOfferIsShown() {
        views();
        client().starts(key("offered"), spec());
        Claimed work = client().claim();
        SubmitRequest request = SubmitRequest.of(
                        RunClient.freshRun(), key("offered"), spec().policy(ConflictPolicy.QUEUE))
                .by(RunClient.caller());
        Run caller = client().submitted(request);
        client().succeeds(work);
        KeyView view = view("offered");
        assertThat(view.currentRun().map(Run::id)).contains(caller.id());
        assertThat(view.currentRun().map(Run::state)).contains(RunState.QUEUED);
        assertThat(view.waiting()).as("it is still in the queue").isEqualTo(1);
        assertThat(view.currentLease()).isEmpty();
    }

    @Test
    default void keysAreListedByPrefixInPages() {
        views();
        for (String name : List.of("b/2", "a/1", "b/1", "b/ä", "b/10")) {
            client().starts(key(name), spec());
        }
        new Client(client().store()).take(key("b/0"));
        client().starts(LockKey.of("globex", "b/3"), spec());
        assertThat(names(KeyQuery.ofTenant("acme"))).containsExactly("a/1", "b/0", "b/1", "b/10", "b/2", "b/ä");
        assertThat(names(new KeyQuery("acme", "b/", null, 10))).containsExactly("b/0", "b/1", "b/10", "b/2", "b/ä");
        assertThat(names(new KeyQuery("acme", "b/1", null, 10))).containsExactly("b/1", "b/10");
        assertThat(names(new KeyQuery("acme", "b/", null, 2))).containsExactly("b/0", "b/1");
        assertThat(names(new KeyQuery("acme", "b/", "b/1", 2))).containsExactly("b/10", "b/2");
        assertThat(names(new KeyQuery("acme", "b/", "b/2", 2))).containsExactly("b/ä");
        assertThat(names(KeyQuery.ofTenant("globex"))).containsExactly("b/3");
        assertThat(names(new KeyQuery("acme", "b_", null, 10)))
                .as("not a pattern")
                .isEmpty();
        assertThat(names(new KeyQuery("acme", "%", null, 10)))
                .as("not a pattern")
                .isEmpty();
    }

    @Test
    default void runsAreTalliedByTenantJobAndState() {
        views();
        Run running = client().starts(key("t1"), spec()).run();
        client().claim();
        advance(Duration.ofSeconds(1));
        Run waiting = queue("t1");
        advance(Duration.ofSeconds(1));
        queue("t1");
        Run pending = client().starts(key("t2"), RunSpec.of(new JobName("other"), "alice"))
                .run();
        Run stranger = client().starts(LockKey.of("globex", "t1"), spec()).run();
        assertThat(views().runCounts())
                .containsExactlyInAnyOrder(
                        count(running, RunState.RUNNING, 1),
                        count(waiting, RunState.QUEUED, 2),
                        count(pending, RunState.PENDING, 1),
                        count(stranger, RunState.PENDING, 1));
    }

    @Test
    default void openRunsOfATenantAreCountedUpToALimit() {
        views();
        client().starts(key("o1"), spec().parameters("{\"text\": \"räksmörgås\"}"));
        client().claim();
        queue("o1");
        client().starts(key("o2"), spec());
        client().starts(LockKey.of("globex", "o1"), spec());
        assertThat(views().openRuns("acme", 100)).isEqualTo(new OpenRuns(3, 25 + 2 * 2));
        assertThat(views().openRuns("acme", 2).count()).as("no further").isEqualTo(2);
        assertThat(views().openRuns("initech", 100)).isEqualTo(new OpenRuns(0, 0));
    }

    private RunCount count(Run oldest, RunState state, long count) {
        return new RunCount(
                oldest.key().tenant(),
                oldest.job(),
                state,
                count,
                client().run(oldest.id()).status().since());
    }

    @Test
    default void pausesInForceAreListed() {
        views();
        Pause whole = client().store().pause(new PauseRequest("acme", "p/*", "carol", "upgrade", null));
        Pause one = client().store().pause(new PauseRequest("acme", "q", "carol", "lunch", Duration.ofSeconds(20)));
        Pause other = client().store().pause(new PauseRequest("globex", "p/*", "eve", "audit", null));
        assertThat(views().pauses("acme")).containsExactlyInAnyOrder(whole, one);
        assertThat(views().pauses(null)).containsExactlyInAnyOrder(whole, one, other);
        advance(Duration.ofSeconds(21));
        assertThat(views().pauses("acme"))
                .as("one has ended")
                .extracting(Pause::pattern)
                .containsExactly("p/*");
        client().store().resume(new ResumeRequest("acme", "p/*", "carol", "done"));
        assertThat(views().pauses("acme")).isEmpty();
        assertThat(views().pauses("initech")).isEmpty();
    }

    @Test
    default void resourcesOfAKindAreListedOverTenantsInPages() {
        views();
        for (String name : List.of("b", "ä", "a")) {
            resource(key(name), "cluster", "READY");
        }
        resource(key("c"), "event", "READY");
        resource(LockKey.of("globex", "a"), "cluster", "FAILED");
        client().starts(key("no-resource"), spec());
        assertThat(resources(ResourceQuery.ofKind("cluster")))
                .containsExactly("acme:a", "acme:b", "acme:ä", "globex:a");
        ResourceQuery two = new ResourceQuery("cluster", null, 2);
        assertThat(resources(two)).containsExactly("acme:a", "acme:b");
        assertThat(resources(two.behind(key("b")))).containsExactly("acme:ä", "globex:a");
        assertThat(resources(two.behind(LockKey.of("globex", "a")))).isEmpty();
        assertThat(resources(ResourceQuery.ofKind("none"))).isEmpty();
        assertThat(views().resources(ResourceQuery.ofKind("event")))
                .containsExactly(client().store().resource(key("c")).orElseThrow());
    }

    private void resource(LockKey key, String kind, String state) {
        assertThat(client().store().setResource(new ResourceRequest(key, kind, state, 0, "carol", "made")))
                .isInstanceOf(ResourceAnswer.Changed.class);
    }

    private List<String> resources(ResourceQuery query) {
        return views().resources(query).stream()
                .map(resource -> resource.key().toString())
                .toList();
    }
}
