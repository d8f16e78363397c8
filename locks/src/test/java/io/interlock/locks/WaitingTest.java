package io.interlock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WaitingTest extends LocksFixture {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void getsAFreeKeyWithOneLookAndNoSubscription() throws Exception {
        assertThat(locks.acquire(KEY, MINUTE).lease()).isPresent();
        assertThat(store.acquires).hasSize(1);
        assertThat(store.watchers).isEmpty();
    }

    @Test
    void isWokenByARelease() throws Exception {
        Lease first = hold(KEY);
        CompletableFuture<Acquisition> second = waitInLine();
        eventually(() -> store.acquires.size() == 3);
        first.close();
        assertThat(second.get(5, TimeUnit.SECONDS).orElseThrow().isHeld()).isTrue();
    }

    @Test
    void findsTheKeyByPollingIfEveryWakeUpIsLost() throws Exception {
        store.wakeUps = false;
        Locks elsewhere = builder().build();
        Lease first = elsewhere.tryAcquire(KEY).orElseThrow();
        CompletableFuture<Acquisition> second = waitInLine();
        eventually(() -> store.acquires.size() == 3);
        first.close();
        eventuallyAsTimePasses(second::isDone);
        assertThat(second.get().lease()).isPresent();
        elsewhere.close();
    }

    @Test
    void looksAgainWhenALeaseEndsThoughNobodyReleasesIt() throws Exception {
        Locks elsewhere = builder().build();
        hold(elsewhere, KEY);
        elsewhere.close();
        CompletableFuture<Acquisition> next = waitInLine();
        eventuallyAsTimePasses(next::isDone);
        assertThat(next.get().lease()).isPresent();
    }

    @Test
    void servesThoseWhoWaitInTheOrderTheyCame() throws Exception {
        Lease first = hold(KEY);
        List<CompletableFuture<Acquisition>> line = new ArrayList<>();
        line.add(waitInLine());
        eventually(() -> store.acquires.size() == 3);
        for (int i = 0; i < 9; i++) {
            line.add(waitInLine());
        }
        first.close();
        for (int i = 0; i < 10; i++) {
            Lease lease = line.get(i).get(5, TimeUnit.SECONDS).orElseThrow();
            assertThat(line.stream().filter(CompletableFuture::isDone)).hasSize(i + 1);
            lease.close();
        }
        eventually(() -> store.watchers.isEmpty());
    }

    @Test
    void goesAwayWhenItsTimeIsUpAndSaysWhy() throws Exception {
        hold(KEY);
        CompletableFuture<Acquisition> waiting = waitInLine();
        eventually(() -> store.acquires.size() == 3);
        eventuallyAsTimePasses(waiting::isDone);
        assertThat(waiting.get())
                .isInstanceOfSatisfying(
                        Acquisition.Refused.class,
                        refused -> assertThat(refused.refusal()).isInstanceOf(Refusal.Held.class));
        eventually(() -> store.watchers.isEmpty());
    }

    @Test
    void aGrantForSomebodyWhoGaveUpGoesToTheNext() throws Exception {
        Lease first = hold(KEY);
        CompletableFuture<Acquisition> quitter = waitInLine();
        eventually(() -> store.acquires.size() == 3);
        CompletableFuture<Acquisition> next = waitInLine();
        CountDownLatch granted = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        store.acquiring.after = () -> {
            if (store.isHeld(KEY)) {
                granted.countDown();
                RenewalTest.join(answer);
            }
        };
        first.close();
        assertThat(granted.await(5, TimeUnit.SECONDS)).isTrue();
        assertThat(quitter.cancel(true)).isTrue();
        store.acquiring.heal();
        answer.countDown();
        assertThat(next.get(5, TimeUnit.SECONDS).orElseThrow().isHeld()).isTrue();
        assertThat(store.releases)
                .as("the first lease, and the grant that no caller took")
                .hasSize(2);
    }

    @Test
    void aGrantThatMeetsATimeoutGoesToTheNext() throws Exception {
        Lease first = hold(KEY);
        CompletableFuture<Acquisition> quitter = locks.acquireAsync(
                        List.of(KEY), Duration.ofSeconds(2), locks.defaultOptions())
                .toCompletableFuture();
        eventually(() -> store.acquires.size() == 3);
        CompletableFuture<Acquisition> next = waitInLine();
        CountDownLatch granted = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        store.acquiring.after = () -> {
            granted.countDown();
            RenewalTest.join(answer);
        };
        first.close();
        assertThat(granted.await(5, TimeUnit.SECONDS)).isTrue();
        seconds(2);
        assertThat(quitter.get(5, TimeUnit.SECONDS).lease()).isEmpty();
        store.acquiring.heal();
        answer.countDown();
        assertThat(next.get(5, TimeUnit.SECONDS).orElseThrow().isHeld()).isTrue();
    }

    @Test
    void anInterruptLeavesTheLineAndHoldsNothing() throws Exception {
        Lease first = hold(KEY);
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                locks.acquire(KEY, MINUTE);
                ended.complete(new AssertionError("was not interrupted"));
            } catch (InterruptedException expected) {
                ended.complete(expected);
            }
        });
        waiter.start();
        eventually(() -> store.acquires.size() == 3);
        waiter.interrupt();
        assertThat(ended.get(5, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        first.close();
        eventually(() -> store.watchers.isEmpty());
        assertThat(store.isHeld(KEY)).isFalse();
    }

    @Test
    void anInterruptAtTheInstantOfTheGrantGivesItBack() throws Exception {
        for (int round = 0; round < 200; round++) {
            // Waits, because a look under way when its waiter left may just be giving its grant back.
            Lease first = locks.acquire(KEY, MINUTE).orElseThrow();
            CompletableFuture<Boolean> gotIt = new CompletableFuture<>();
            int looks = store.acquires.size();
            Thread waiter = new Thread(() -> {
                try (Lease lease = locks.acquire(KEY, MINUTE).orElseThrow()) {
                    gotIt.complete(lease.isHeld());
                } catch (InterruptedException interrupted) {
                    gotIt.complete(false);
                }
            });
            waiter.start();
            eventually(() -> store.acquires.size() > looks);
            Thread releaser = new Thread(first::close);
            releaser.start();
            waiter.interrupt();
            gotIt.get(5, TimeUnit.SECONDS);
            releaser.join();
            waiter.join();
        }
        eventually(() -> store.watchers.isEmpty() && !store.isHeld(KEY));
    }

    @Test
    void aThreadInterruptedBeforeItAsksAsksNothing() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> locks.acquire(KEY, MINUTE)).isInstanceOf(InterruptedException.class);
        assertThat(store.acquires).isEmpty();
    }

    @Test
    void anUnavailableStoreEndsTheWait() throws Exception {
        hold(KEY);
        CompletableFuture<Acquisition> waiting = waitInLine();
        eventually(() -> store.acquires.size() == 3);
        store.acquiring.fail();
        eventuallyAsTimePasses(waiting::isDone);
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aThreadThatAsksForWhatItHoldsIsRefusedAtOnce() throws Exception {
        Lease lease = hold(KEY);
        assertThat(locks.acquire(KEY, MINUTE)).isInstanceOfSatisfying(Acquisition.Refused.class, refused -> {
            assertThat(refused.refusal()).isInstanceOf(Refusal.HeldByCaller.class);
            assertThat(refused.refusal().explanation()).contains("token " + lease.token());
        });
        assertThat(locks.tryAcquire(KEY).lease()).isEmpty();
        assertThat(store.acquires).hasSize(1);
        lease.close();
        assertThat(locks.tryAcquire(KEY).lease()).isPresent();
    }

    @Test
    void holdsNoneOfItsKeysWhileItWaitsForOneOfThem() throws Exception {
        Lease one = hold(KEY);
        Lease two = hold(OTHER);
        CompletableFuture<Acquisition> both = locks.acquireAsync(List.of(OTHER, KEY), MINUTE, locks.defaultOptions())
                .toCompletableFuture();
        eventually(() -> store.watchers.size() == 1);
        one.close();
        eventually(() -> store.watchers.stream().anyMatch(each -> each.getKey().equals(OTHER)));
        assertThat(store.isHeld(KEY)).isFalse();
        two.close();
        assertThat(both.get(5, TimeUnit.SECONDS).orElseThrow().tokens()).containsOnlyKeys(KEY, OTHER);
        eventually(() -> store.watchers.isEmpty());
    }

    @Test
    void saysWhoHasTheKeyItWaitsForThoughTheHolderTookSeveral() throws Exception {
        store.wakeUps = false;
        Locks elsewhere = builder().build();
        Lease first = elsewhere.tryAcquire(OTHER).orElseThrow();
        CompletableFuture<Acquisition> both = locks.acquireAsync(List.of(KEY, OTHER), MINUTE, locks.defaultOptions())
                .toCompletableFuture();
        eventually(() -> store.acquires.size() == 3);
        CompletableFuture<Acquisition> one = locks.acquireAsync(
                        List.of(OTHER), Duration.ofMillis(1400), locks.defaultOptions())
                .toCompletableFuture();
        eventually(() -> store.acquires.size() == 4);
        first.close();
        // Time for one poll, which comes after 0.8 to 1.2 s, and not for two.
        seconds(1.2);
        eventually(both::isDone);
        seconds(0.3);
        eventually(one::isDone);
        assertThat(one.get())
                .isInstanceOfSatisfying(
                        Acquisition.Refused.class,
                        refused -> assertThat(refused.refusal().key()).isEqualTo(OTHER));
        elsewhere.close();
    }

    @Test
    void keysDoNotStandInEachOthersWay() throws Exception {
        hold(KEY);
        CompletableFuture<Acquisition> waiting = waitInLine();
        for (int i = 0; i < 300; i++) {
            assertThat(locks.acquire(LockKey.of("free/" + i), MINUTE).lease()).isPresent();
        }
        assertThat(waiting).isNotDone();
    }

    @Test
    void refusesAWaitBelowZero() {
        assertThatThrownBy(() -> locks.acquire(KEY, Duration.ofSeconds(-1)))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("maxWait '-1s'");
    }

    private static void hold(Locks locks, LockKey key) {
        assertThat(locks.tryAcquire(key).lease()).isPresent();
    }

    private CompletableFuture<Acquisition> waitInLine() {
        return locks.acquireAsync(List.of(KEY), MINUTE, locks.defaultOptions()).toCompletableFuture();
    }
}
