package io.interlock.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * What Spring Integration expects of every registry of locks. It publishes no tests for the registries of others, so these are the cases that
 * the tests of its own registries have in common. They run on its {@code DefaultLockRegistry}, too: a case that fails there is wrong.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
@SuppressWarnings("LockNotBeforeTry") // the cases are about locking itself
abstract class LockRegistryCases {

    /** The registry of this process. */
    abstract LockRegistry<?> registry();

    /** A registry of another process with the same locks; the same one if the locks are those of one process. */
    abstract LockRegistry<?> other();

    private interface Way {
        boolean take(Lock lock) throws InterruptedException;
    }

    private static final List<Way> WAYS = List.of(
            lock -> {
                lock.lock();
                return true;
            },
            lock -> {
                lock.lockInterruptibly();
                return true;
            },
            Lock::tryLock,
            lock -> lock.tryLock(30, TimeUnit.SECONDS));

    @Test
    void everyWayToLockIsReentrantAndHeldUntilTheLastUnlock() throws Exception {
        for (Way first : WAYS) {
            for (Way second : WAYS) {
                Lock lock = registry().obtain("orders");
                assertThat(first.take(lock)).isTrue();
                Lock again = registry().obtain("orders");
                assertThat(again).isSameAs(lock);
                assertThat(second.take(again)).isTrue();
                again.unlock();
                assertThat(elsewhere(() -> other().obtain("orders").tryLock())).isFalse();
                lock.unlock();
                assertThat(elsewhere(() -> lockAndUnlock(other(), "orders"))).isTrue();
            }
        }
    }

    @Test
    void locksOfTwoKeysAreIndependent() throws Exception {
        Lock orders = registry().obtain("orders");
        assertThat(registry().obtain("bills")).isNotSameAs(orders);
        orders.lock();
        assertThat(elsewhere(() -> lockAndUnlock(other(), "bills"))).isTrue();
        orders.unlock();
    }

    @Test
    void onlyTheThreadThatLockedUnlocks() throws Exception {
        Lock lock = registry().obtain("orders");
        lock.lock();
        for (LockRegistry<?> each : List.of(registry(), other())) {
            assertThat(elsewhere(() -> each.obtain("orders").tryLock(50, TimeUnit.MILLISECONDS)))
                    .isFalse();
            assertThatThrownBy(() -> elsewhere(() -> {
                        each.obtain("orders").unlock();
                        return true;
                    }))
                    .hasRootCauseInstanceOf(IllegalMonitorStateException.class);
        }
        assertThat(elsewhere(() -> other().obtain("orders").tryLock())).isFalse();
        lock.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void whoWaitsIsServedAfterTheUnlock() throws Exception {
        for (LockRegistry<?> each : List.of(registry(), other())) {
            for (Way way : List.of(WAYS.get(0), WAYS.get(1), WAYS.get(3))) {
                Lock lock = registry().obtain("orders");
                lock.lock();
                Waiter waiter = new Waiter(() -> {
                    Lock wanted = each.obtain("orders");
                    boolean taken = way.take(wanted);
                    wanted.unlock();
                    return taken;
                });
                waiter.awaitWaiting();
                lock.unlock();
                assertThat(waiter.answer()).isTrue();
            }
        }
    }

    @Test
    void whoIsInterruptedWhileItWaitsHasNoLock() throws Exception {
        for (LockRegistry<?> each : List.of(registry(), other())) {
            for (Way way : List.of(WAYS.get(1), WAYS.get(3))) {
                Lock lock = registry().obtain("orders");
                lock.lock();
                Waiter waiter = new Waiter(() -> way.take(each.obtain("orders")));
                waiter.awaitWaiting();
                waiter.interrupt();
                assertThatThrownBy(waiter::answer).hasRootCauseInstanceOf(InterruptedException.class);
                lock.unlock();
                assertThat(elsewhere(() -> lockAndUnlock(each, "orders"))).isTrue();
            }
        }
    }

    @Test
    void lockIsNotEndedByAnInterruptAndTheThreadStaysInterrupted() throws Exception {
        for (LockRegistry<?> each : List.of(registry(), other())) {
            Lock lock = registry().obtain("orders");
            lock.lock();
            Waiter waiter = new Waiter(() -> {
                Lock wanted = each.obtain("orders");
                wanted.lock();
                boolean interrupted = Thread.interrupted();
                wanted.unlock();
                return interrupted;
            });
            waiter.awaitWaiting();
            waiter.interrupt();
            lock.unlock();
            assertThat(waiter.answer()).isTrue();
        }
    }

    @Test
    void workUnderALockEndsWithTheLock() throws Exception {
        assertThat(registry()
                        .<Boolean, Exception>executeLocked(
                                "orders",
                                () -> elsewhere(() -> other().obtain("orders").tryLock())))
                .isFalse();
        assertThatThrownBy(() -> registry().<RuntimeException>executeLocked("orders", () -> {
                    throw new IllegalStateException("the work failed");
                }))
                .hasMessage("the work failed");
        Lock lock = other().obtain("orders");
        lock.lock();
        assertThatThrownBy(() -> elsewhere(() -> {
                    registry().<RuntimeException>executeLocked("orders", Duration.ofMillis(50), () -> {});
                    return true;
                }))
                .hasRootCauseInstanceOf(TimeoutException.class);
        lock.unlock();
    }

    @Test
    void threadsTakeTurns() throws Exception {
        int[] plain = new int[1];
        List<Waiter> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            LockRegistry<?> one = i % 2 == 0 ? registry() : other();
            all.add(new Waiter(() -> {
                for (int j = 0; j < 25; j++) {
                    Lock lock = one.obtain("orders");
                    lock.lock();
                    try {
                        plain[0]++;
                    } finally {
                        lock.unlock();
                    }
                }
                return true;
            }));
        }
        for (Waiter each : all) {
            assertThat(each.answer()).isTrue();
        }
        assertThat(plain[0]).isEqualTo(200);
    }

    private static boolean lockAndUnlock(LockRegistry<?> registry, String key) throws InterruptedException {
        Lock lock = registry.obtain(key);
        // With a limit: a release may still be on its way to other processes.
        boolean taken = lock.tryLock(30, TimeUnit.SECONDS);
        if (taken) {
            lock.unlock();
        }
        return taken;
    }

    /** What another thread answers. */
    private static boolean elsewhere(Callable<Boolean> question) throws Exception {
        return new Waiter(question).answer();
    }

    /** A thread with a question, which may wait for its answer. */
    private static final class Waiter {

        private final FutureTask<Boolean> task;
        private final Thread thread;

        Waiter(Callable<Boolean> question) {
            task = new FutureTask<>(question);
            thread = new Thread(task, "lock-registry-test");
            thread.setDaemon(true);
            thread.start();
        }

        void awaitWaiting() {
            await().until(() ->
                    thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING);
        }

        void interrupt() {
            thread.interrupt();
        }

        boolean answer() throws Exception {
            return task.get(50, TimeUnit.SECONDS);
        }
    }
}
