package io.interlock.tck;

import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.KeyLine;
import io.interlock.run.KeyLine.LineQuery;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.KeyView.KeyStatus;
import io.interlock.run.Pause;
import io.interlock.run.Resource.ResourceAnswer;
import io.interlock.run.Resource.ResourceQuery;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunSpec;
import io.interlock.run.SearchQuery;
import io.interlock.run.SearchQuery.SearchResult;
import io.interlock.run.Summary;
import io.interlock.run.Summary.OpenRuns;
import io.interlock.run.Summary.RunCount;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResourceRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunViews;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Overviews. */
interface ViewsContract extends RunContract {

    private RunViews views() {
        return client().store().views();
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
        assertThat(view.pause()).isNull();
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
        client().store().runs().pause(new PauseRequest("acme", "waited/*", "carol", "upgrade", null));
        assertThat(names(KeyQuery.ofTenant("acme"))).as("a pause is not a key").isEmpty();
        Run waiting = queue("waited/for");
        KeyView view = view("waited/for");
        assertThat(view.currentLease()).isEmpty();
        assertThat(view.currentRun()).isEmpty();
        assertThat(view.waiting()).isEqualTo(1);
        assertThat(view.waitingSince()).isEqualTo(waiting.submittedAt());
        assertThat(view.pause()).extracting(Pause::actor).isEqualTo("carol");
    }

    @Test
    default void aPauseIsShownUntilItEnds() {
        views();
        new Client(client().store()).take(ContractRequests.forKey(key("paused"), Duration.ofMinutes(4)));
        client().store().runs().pause(new PauseRequest("acme", "paused", "carol", "lunch", Duration.ofSeconds(20)));
        assertThat(view("paused").pause()).extracting(Pause::reason).isEqualTo("lunch");
        advance(Duration.ofSeconds(21));
        assertThat(view("paused").pause()).isNull();
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

    private List<Run> line(LockKey key, int limit) {
        List<Run> all = new ArrayList<>();
        Optional<LineQuery.Place> next = Optional.of(LineQuery.Place.FRONT);
        while (next.isPresent()) {
            KeyLine page = views().line(
                            new LineQuery(key, LineQuery.Place.parse(next.get().toString()), limit));
            assertThat(page.before()).isEqualTo(all.size());
            assertThat(page.runs()).hasSizeBetween(1, limit);
            all.addAll(page.runs());
            next = Optional.ofNullable(page.next());
        }
        return all;
    }

    @Test
    default void theLineOfAKeyBeginsAtItsFront() {
        views();
        LockKey key = key("line");
        client().starts(key, spec());
        RunSpec waits = spec().policy(ConflictPolicy.QUEUE);
        for (int priority : List.of(0, 0, 5, -3, 20, 0, 5)) {
            client().queues(key, waits.priority(priority));
        }
        advance(Duration.ofMinutes(6));
        for (int priority : List.of(0, 5, 12, -3, 7)) {
            client().queues(key, waits.priority(priority));
        }
        List<Run> inOrder = client().store().queries().queue(key);
        assertThat(inOrder).hasSize(12);
        for (int limit : List.of(1, 2, 5, 12, 100)) {
            assertThat(line(key, limit)).as("pages of %s", limit).isEqualTo(inOrder);
        }
        KeyLine front = views().line(LineQuery.front(key, 3));
        assertThat(front.view()).isNotNull().satisfies(view -> {
            assertThat(view.waiting()).isEqualTo(12);
            assertThat(view.waitingSince())
                    .as("the first that was submitted is not the first in line")
                    .isEqualTo(inOrder.stream()
                            .map(Run::submittedAt)
                            .min(Comparator.naturalOrder())
                            .orElseThrow());
        });
        assertThat(views().line(LineQuery.front(key("line/other"), 3)).view()).isNull();
    }

    @Test
    default void runsThatRestStandAtTheEndOfTheLine() {
        views();
        LockKey key = key("rests");
        RunSpec tries = spec().policy(ConflictPolicy.QUEUE)
                .retry(new RetryPlan(3, Duration.ofMinutes(2), 1, Duration.ofMinutes(2)));
        Run resting = client().starts(key, tries.priority(9)).run();
        Run first = client().queues(key, spec().policy(ConflictPolicy.QUEUE)).run();
        Run second = client().queues(key, spec().policy(ConflictPolicy.QUEUE)).run();
        client().failsForNow(client().claim());
        client().is(first.id(), RunState.PENDING);
        assertThat(line(key, 1)).extracting(Run::id).containsExactly(second.id(), resting.id());
    }

    @Test
    default void startsAreEstimatedFromPastRuns() {
        views();
        LockKey key = key("estimated");
        RunSpec waits = spec().policy(ConflictPolicy.QUEUE);
        client().starts(key, waits);
        client().queues(key, waits);
        Run third = client().queues(key, waits).run();
        KeyLine unknown = views().line(LineQuery.front(key, 9));
        assertThat(unknown.startOf(third, 2)).as("no run has ended yet").isEmpty();
        Claimed work = client().claim();
        advance(Duration.ofSeconds(20));
        client().succeeds(work);
        client().claim();
        advance(Duration.ofSeconds(5));
        KeyLine line = views().line(LineQuery.front(key, 9));
        assertThat(line.runs()).extracting(Run::id).containsExactly(third.id());
        assertThat(line.past()).hasSize(1);
        Instant now = Objects.requireNonNull(line.view()).observedAt();
        assertThat(Duration.between(now, line.startOf(third, 1).orElseThrow()))
                .isBetween(Duration.ofSeconds(14), Duration.ofSeconds(16));
        assertThat(Duration.between(now, line.startOf(third, 3).orElseThrow()))
                .isBetween(Duration.ofSeconds(53), Duration.ofSeconds(57));
        advance(Duration.ofSeconds(20));
        assertThat(views().line(LineQuery.front(key, 9)).startOf(third, 1))
                .as("at any moment")
                .isEmpty();
    }

    @Test
    default void aSummaryCountsAllOfATenant() {
        views();
        RunSpec waits = spec().policy(ConflictPolicy.QUEUE);
        client().starts(key("failing"), spec());
        Claimed failing = client().claim();
        client().finished(failing, new Ending.Failed(RunClient.ERROR, false, null));
        client().starts(key("failing"), spec());
        Run sample = client().finished(client().claim(), new Ending.Failed(RunClient.ERROR, false, null));
        Run stopped = client().starts(key("stopped"), spec()).run();
        client().store().runs().cancel(new CancelRequest(stopped.id(), Actor.of("carol"), "not needed"));
        advance(Duration.ofMinutes(50));
        new Client(client().store()).take(ContractRequests.forKey(key("bare"), Duration.ofMinutes(4)));
        new Client(client().store()).take(ContractRequests.forKey(key("lapsed"), Duration.ofSeconds(5)));
        client().starts(key("busy"), waits);
        client().claim();
        advance(Duration.ofSeconds(1));
        Run first = client().queues(key("busy"), waits).run();
        Run urgent = client().queues(key("busy"), waits.priority(50)).run();
        client().store().runs().pause(new PauseRequest("acme", "paused/*", "carol", "upgrade", null));
        client().queues(key("paused/1"), waits);
        client().starts(key("pending"), spec());
        client().starts(LockKey.of("other", "pending"), spec());
        advance(Duration.ofSeconds(6));
        Summary summary = views().summary("acme");
        assertThat(summary.locks())
                .isEqualTo(
                        Map.of(KeyStatus.HELD, 2L, KeyStatus.OVERDUE, 1L, KeyStatus.PAUSED, 1L, KeyStatus.WAITING, 1L));
        assertThat(summary.locks())
                .as("as the list says")
                .isEqualTo(views().keys(KeyQuery.ofTenant("acme")).stream()
                        .collect(Collectors.groupingBy(KeyView::state, Collectors.counting())));
        assertThat(List.of(
                        summary.runs(RunState.QUEUED), summary.runs(RunState.PENDING), summary.runs(RunState.RUNNING)))
                .containsExactly(3L, 1L, 1L);
        assertThat(summary.overdue()).extracting(view -> view.key().name()).containsExactly("lapsed");
        assertThat(summary.hot()).extracting(view -> view.key().name()).containsExactly("busy", "paused/1");
        assertThat(summary.longestWait()).isNotNull();
        assertThat(Objects.requireNonNull(summary.longestWait()).waitingSince()).isEqualTo(first.submittedAt());
        assertThat(Objects.requireNonNull(summary.next()).id()).isEqualTo(urgent.id());
        assertThat(summary.failures()).singleElement().satisfies(group -> {
            assertThat(group.code()).isEqualTo(RunClient.ERROR.code());
            assertThat(group.state()).isEqualTo(RunState.FAILED);
            assertThat(group.count()).isEqualTo(2);
            assertThat(group.sample()).isEqualTo(sample.id());
            assertThat(group.last()).isEqualTo(sample.status().since());
        });
        assertThat(summary.failed()).as("one that was stopped has not failed").isEqualTo(2);
        client().store().runs().pause(new PauseRequest("acme", "idle", "carol", "upgrade", null));
        client().store().runs().pause(new PauseRequest("acme", "busy", "carol", "upgrade", null));
        client().store().runs().pause(new PauseRequest("other", "elsewhere", "carol", "upgrade", null));
        assertThat(views().summary("acme").locks())
                .as("lists show a key that is paused by its name, and no second time if it is in use")
                .isEqualTo(
                        Map.of(KeyStatus.HELD, 2L, KeyStatus.OVERDUE, 1L, KeyStatus.PAUSED, 2L, KeyStatus.WAITING, 1L));
        advance(Duration.ofMinutes(11));
        assertThat(views().summary("acme").failures()).as("older than an hour").isEmpty();
        assertThat(views().summary("acme").failed()).isZero();
        assertThat(views().summary("unknown").locks()).isEmpty();
    }

    @Test
    default void runsAndKeysAreFoundByPartsOfTheirNames() {
        views();
        Run ended = client().starts(key("Ledger/import/eu"), spec().labels(Map.of("team", "Billing")))
                .run();
        client().succeeds(client().claim());
        Run open = client().starts(key("ledger_x/50%"), spec()).run();
        client().starts(LockKey.of("other", "ledger/hidden"), spec());
        new Client(client().store()).take(key("bare/ledger"));
        for (Run run : List.of(ended, open)) {
            String id = run.id().toString();
            for (String text : List.of(
                    id, id.toUpperCase(Locale.ROOT), id.substring(0, 30), id.substring(28), id.replace("-", ""))) {
                assertThat(search(text).runs()).as(text).extracting(Run::id).containsExactly(run.id());
            }
        }
        for (String text : List.of("--------", "-".repeat(36))) {
            assertThat(search(text).runs()).as("no digits of an id").isEmpty();
        }
        assertThat(views().search(new SearchQuery("other", ended.id().toString(), 5))
                        .runs())
                .as("another tenant's")
                .isEmpty();
        assertThat(search("ledger").keys())
                .extracting(view -> view.key().name() + " " + view.state())
                .containsExactly("Ledger/import/eu FREE", "bare/ledger HELD", "ledger_x/50% WAITING");
        assertThat(search("R_X").keys()).extracting(view -> view.key().name()).containsExactly("ledger_x/50%");
        assertThat(search("0%").keys()).extracting(view -> view.key().name()).containsExactly("ledger_x/50%");
        assertThat(search("o_t").keys()).as("no wild card").isEmpty();
        assertThat(views().search(new SearchQuery("acme", "ledger", 1)).keys())
                .as("one more than asked for")
                .hasSize(2);
        for (String text : List.of("bill", "team", "team=bill")) {
            assertThat(search(text).labels()).as(text).containsExactly(Map.entry("team", "Billing"));
        }
        String holder =
                view("bare/ledger").currentLease().orElseThrow().holder().label();
        assertThat(search(holder.substring(1)).holders()).containsExactly(holder);
    }

    private SearchResult search(String text) {
        return views().search(new SearchQuery("acme", text, 5));
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
        Pause whole = client().store().runs().pause(new PauseRequest("acme", "p/*", "carol", "upgrade", null));
        Pause one =
                client().store().runs().pause(new PauseRequest("acme", "q", "carol", "lunch", Duration.ofSeconds(20)));
        Pause other = client().store().runs().pause(new PauseRequest("globex", "p/*", "eve", "audit", null));
        assertThat(views().pauses("acme")).containsExactlyInAnyOrder(whole, one);
        assertThat(views().pauses(null)).containsExactlyInAnyOrder(whole, one, other);
        advance(Duration.ofSeconds(21));
        assertThat(views().pauses("acme"))
                .as("one has ended")
                .extracting(Pause::pattern)
                .containsExactly("p/*");
        client().store().runs().resume(new ResumeRequest("acme", "p/*", "carol", "done"));
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
        assertThat(client().store().queries().resources(ResourceQuery.ofKind("event")))
                .containsExactly(client().store().queries().resource(key("c")).orElseThrow());
    }

    private void resource(LockKey key, String kind, String state) {
        assertThat(client().store().runs().setResource(new ResourceRequest(key, kind, state, 0, "carol", "made")))
                .isInstanceOf(ResourceAnswer.Changed.class);
    }

    private List<String> resources(ResourceQuery query) {
        return client().store().queries().resources(query).stream()
                .map(resource -> resource.key().toString())
                .toList();
    }
}
