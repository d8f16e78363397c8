package io.interlock.engine.notify;

import static io.interlock.engine.notify.Notification.Kind.DEAD_LETTER;
import static io.interlock.engine.notify.Notification.Kind.DEAD_LETTER_WAITING;
import static io.interlock.engine.notify.Notification.Kind.EVICTED;
import static io.interlock.engine.notify.Notification.Kind.LEASE_LOST;
import static io.interlock.engine.notify.Notification.Kind.OVERDUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.notify.Delivery.NotificationSender;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.RunLimits;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.run.RunSteps.DiscardRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NotifierTest extends NotifyFixture {

    @Test
    void aDeadLetterIsToldOnce() {
        tells(rule("ops", Set.of(DEAD_LETTER)));
        RunId run = dies(KEY);
        until(() -> !receiver.posts.isEmpty());
        Receiver.ReceivedPost post = receiver.posts.get(0);
        assertThat(post.body())
                .startsWith("{\"type\":\"dead-letter\",\"timestamp\":\"2026-01-01T00:")
                .contains("\"tenant\":\"acme\",\"key\":\"ledger\"")
                .contains("\"runId\":\"" + run + "\",\"job\":\"close\",\"attempt\":2,\"token\":")
                .contains("\"error\":{\"code\":\"BROKEN\",\"message\":\"it broke\"}")
                .contains("\"explanation\":\"run " + run
                        + " of close (attempt 2) under acme:ledger used up its attempts, 2");
        pass(Duration.ofMinutes(2));
        assertThat(receiver.posts).as("told once").hasSize(1);
    }

    @Test
    void aLostWorkerIsToldWithItsStage() {
        tells(rule("ops", Set.of(LEASE_LOST)));
        submit(KEY, spec(2));
        Claimed work = claim();
        store.work()
                .heartbeat(List.of(new HeartbeatRequest(
                        work.run().id(), KEY, work.lease().id(), work.lease().token(), "load", null)));
        until(() -> {
            store.upkeep().sweepRuns(100);
            return !receiver.posts.isEmpty();
        });
        assertThat(receiver.posts)
                .singleElement()
                .satisfies(post -> assertThat(post.body())
                        .contains("\"type\":\"lease-lost\"")
                        .contains("\"code\":\"WORKER_TIMEOUT\"")
                        .contains("\"attempt\":1")
                        .contains("\"stage\":\"load\"")
                        .contains("lost its worker"));
    }

    @Test
    void aLastAttemptThatIsLostIsTwoStoriesOfOneRecord() {
        tells(rule("ops", Set.of(LEASE_LOST, DEAD_LETTER)));
        submit(KEY, spec(2));
        claim();
        pass(Duration.ofSeconds(31));
        store.upkeep().sweepRuns(100);
        claim();
        pass(Duration.ofSeconds(31));
        store.upkeep().sweepRuns(100);
        until(() -> receiver.posts.size() >= 3);
        assertThat(receiver.posts)
                .extracting(post -> post.body().substring(0, 20))
                .containsExactly("{\"type\":\"lease-lost\"", "{\"type\":\"lease-lost\"", "{\"type\":\"dead-letter");
        assertThat(receiver.idsAt("ops")).doesNotHaveDuplicates();
    }

    @Test
    void anOverdueRunIsTold() {
        tells(rule("ops", Set.of(OVERDUE)));
        submit(KEY, spec(1).limits(new RunLimits(null, Duration.ofSeconds(20), Duration.ZERO)));
        Claimed work = claim();
        pass(Duration.ofSeconds(21));
        assertThat(heartbeat(work)).isInstanceOf(HeartbeatAnswer.Lost.class);
        pass(Duration.ofSeconds(10));
        store.upkeep().sweepRuns(100);
        until(() -> !receiver.posts.isEmpty());
        assertThat(receiver.posts.get(0).body())
                .contains("\"type\":\"overdue\"")
                .contains("took longer than its max runtime of 20s");
    }

    @Test
    void anEvictionIsTold() {
        tells(rule("ops", Set.of(EVICTED)));
        submit(KEY, spec(1));
        Claimed work = claim();
        store.evict(new EvictRequest(KEY, work.lease().token(), "bob", "it hangs"));
        until(() -> !receiver.posts.isEmpty());
        pass(Duration.ofMinutes(1));
        assertThat(receiver.posts)
                .singleElement()
                .satisfies(post -> assertThat(post.body())
                        .contains("\"type\":\"evicted\"")
                        .contains("bob took the lease of run " + work.run().id())
                        .contains("it hangs"));
    }

    @Test
    void onlyWhatARuleAsksForIsTold() {
        tells(
                rule("evictions", Set.of(EVICTED)),
                new NotifyRule("other-tenant", Set.of(DEAD_LETTER), webhook("other"), "globex"),
                rule("all", Set.of(DEAD_LETTER)));
        dies(KEY);
        dies(LockKey.of("globex", "ledger"));
        until(() -> receiver.at("all").size() == 2 && receiver.at("other").size() == 1);
        pass(Duration.ofMinutes(1));
        assertThat(receiver.posts).hasSize(3);
        assertThat(receiver.at("other").get(0).body()).contains("\"tenant\":\"globex\"");
    }

    @Test
    void aNewRuleIsNotToldOldStories() {
        dies(KEY);
        pass(Duration.ofSeconds(5));
        tells(rule("ops", Set.of(DEAD_LETTER)));
        RunId later = dies(KEY);
        until(() -> !receiver.posts.isEmpty());
        pass(Duration.ofMinutes(1));
        assertThat(receiver.posts)
                .singleElement()
                .satisfies(post -> assertThat(post.body()).contains(later.toString()));
    }

    @Test
    void whatHappensWhileNobodyTellsIsToldLater() {
        Notifier first = tells(rule("ops", Set.of(DEAD_LETTER)));
        dies(KEY);
        until(() -> receiver.posts.size() == 1);
        first.close();
        dies(KEY);
        dies(KEY);
        pass(Duration.ofHours(30));
        assertThat(receiver.posts).hasSize(1);
        tells(rule("ops", Set.of(DEAD_LETTER)));
        until(() -> receiver.posts.size() == 3);
        pass(Duration.ofMinutes(1));
        assertThat(receiver.idsAt("ops")).hasSize(3).doesNotHaveDuplicates();
    }

    @Test
    void ofManyProcessesOneTells() {
        for (int process = 0; process < 3; process++) {
            tells(rule("ops", Set.of(DEAD_LETTER)));
        }
        for (int i = 0; i < 5; i++) {
            dies(KEY);
            pass(Duration.ofSeconds(3));
        }
        until(() -> receiver.posts.size() >= 5);
        pass(Duration.ofMinutes(1));
        assertThat(receiver.idsAt("ops")).hasSize(5).doesNotHaveDuplicates();
    }

    @Test
    void nobodyTellsWithoutTheLease() {
        tells(rule("ops", Set.of(DEAD_LETTER))).close();
        Locks other = Locks.builder(store)
                .environment(time)
                .holder(new Holder("host/2", "another process"))
                .drainTime(Duration.ZERO)
                .build();
        open.add(0, other);
        Lease lease = other.tryAcquire(
                        LockKey.of("interlock", "notify/ops"),
                        LeaseOptions.defaults().ttl(Duration.ofMinutes(5)))
                .orElseThrow();
        tells(rule("ops", Set.of(DEAD_LETTER)));
        dies(KEY);
        for (int second = 0; second < 20; second++) {
            pass(Duration.ofSeconds(1));
        }
        assertThat(receiver.posts).isEmpty();
        lease.close();
        until(() -> receiver.posts.size() == 1);
    }

    @Test
    void whenTheOneThatTellsIsGoneAnotherTakesOver() {
        Notifier first = tells(rule("ops", Set.of(DEAD_LETTER)));
        tells(rule("ops", Set.of(DEAD_LETTER)));
        dies(KEY);
        until(() -> receiver.posts.size() == 1);
        first.close();
        dies(KEY);
        until(() -> receiver.posts.size() == 2);
        assertThat(receiver.idsAt("ops")).doesNotHaveDuplicates();
    }

    @Test
    void aReceiverThatIsAwayIsToldLaterAndHoldsUpNobodyElse() {
        tells(rule("away", Set.of(DEAD_LETTER)), rule("there", Set.of(DEAD_LETTER)));
        receiver.status.put("away", 0);
        dies(KEY);
        dies(KEY);
        until(() -> receiver.at("there").size() == 2 && receiver.at("away").size() >= 3);
        assertThat(receiver.idsAt("away"))
                .as("the same id each time")
                .containsOnly(receiver.idsAt("there").get(0));
        receiver.status.remove("away");
        until(() -> receiver.idsAt("away").contains(receiver.idsAt("there").get(1)));
        int tries = receiver.at("away").size();
        pass(Duration.ofMinutes(5));
        assertThat(receiver.at("away")).hasSize(tries);
        assertThat(givenUp).isEmpty();
    }

    @Test
    void aReceiverThatIsAwayForADayIsGivenUpOn() {
        tells(rule("away", Set.of(DEAD_LETTER)));
        receiver.status.put("away", 503);
        dies(KEY);
        for (int hour = 0; hour < 23; hour++) {
            pass(Duration.ofHours(1));
        }
        assertThat(givenUp).isEmpty();
        assertThat(receiver.idsAt("away")).hasSizeBetween(25, 80);
        assertThat(Set.copyOf(receiver.idsAt("away"))).hasSize(1);
        for (int hour = 0; hour < 3; hour++) {
            pass(Duration.ofHours(1));
        }
        assertThat(givenUp).containsExactly("dead-letter: it answered 503");
        dies(KEY);
        receiver.status.remove("away");
        until(() -> Set.copyOf(receiver.idsAt("away")).size() == 2);
    }

    @Test
    void whatAReceiverDoesNotWantDoesNotHoldUpTheRest() {
        tells(rule("picky", Set.of(DEAD_LETTER)));
        receiver.status.put("picky", 400);
        dies(KEY);
        for (int minute = 0; minute < 15; minute++) {
            pass(Duration.ofMinutes(1));
        }
        assertThat(receiver.posts).hasSize(NotificationSender.TRIES_IF_REFUSED);
        assertThat(givenUp).containsExactly("dead-letter: it answered 400");
    }

    @Test
    void aLostAnswerOfTheStoreMayTellTwiceButUnderOneId() {
        tells(rule("ops", Set.of(DEAD_LETTER)));
        losesAnswers = true;
        dies(KEY);
        until(() -> !receiver.posts.isEmpty());
        pass(Duration.ofSeconds(10));
        losesAnswers = false;
        dies(KEY);
        until(() -> Set.copyOf(receiver.idsAt("ops")).size() == 2);
    }

    @Test
    void aDeadLetterThatWaitsIsToldOnceAfterAnHour() {
        tells(rule("ops", Set.of(DEAD_LETTER_WAITING)));
        RunId forgotten = dies(KEY);
        RunId settled = dies(LockKey.of("acme", "other"));
        for (int minute = 0; minute < 58; minute++) {
            pass(Duration.ofMinutes(1));
        }
        assertThat(receiver.posts).isEmpty();
        store.runs().discard(new DiscardRequest(settled, "bob", "not needed"));
        for (int minute = 0; minute < 10; minute++) {
            pass(Duration.ofMinutes(1));
        }
        assertThat(receiver.posts).singleElement().satisfies(post -> {
            assertThat(post.id()).isEqualTo("dead-letter-waiting_" + forgotten);
            assertThat(post.body()).contains("has waited as a dead letter since 2026-01-01T00:00");
        });
        tells(rule("ops", Set.of(DEAD_LETTER_WAITING)));
        for (int minute = 0; minute < 200; minute++) {
            pass(Duration.ofMinutes(1));
        }
        assertThat(receiver.posts).hasSize(1);
    }

    @Test
    void manyDeadLettersOfOneMomentAreAllTold() {
        tells(rule("ops", Set.of(DEAD_LETTER_WAITING)));
        for (int i = 0; i < 150; i++) {
            dies(LockKey.of("acme", "key/" + i));
            if (i % 40 == 0) {
                time.advance(Duration.ofMillis(5));
            }
        }
        for (int minute = 0; minute < 70; minute++) {
            pass(Duration.ofMinutes(1));
        }
        assertThat(receiver.idsAt("ops")).hasSize(150).doesNotHaveDuplicates();
    }

    @Test
    void twoRulesOfOneNameAreRefused() {
        assertThatThrownBy(() -> tells(rule("ops"), rule("ops")))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("ops");
    }
}
