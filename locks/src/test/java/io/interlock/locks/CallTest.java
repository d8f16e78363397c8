package io.interlock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LeaseLostException;
import io.interlock.LossCause;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CallTest extends LocksFixture {

    @Test
    void runsTheTaskUnderTheKeyAndGivesItBack() {
        Outcome<String> outcome = locks.call(KEY, lease -> {
            assertThat(store.isHeld(KEY)).isTrue();
            return "report " + lease.token();
        });
        assertThat(outcome).isEqualTo(new Outcome.Ran<>("report 1"));
        assertThat(store.isHeld(KEY)).isFalse();
    }

    @Test
    void saysWhoRunsAlready() throws Exception {
        CompletableFuture.runAsync(() -> hold(KEY)).get(5, TimeUnit.SECONDS);
        Outcome<String> outcome = locks.call(KEY, lease -> "never");
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.AlreadyRunning.class,
                        running -> assertThat(running.refusal().explanation()).contains("is held by"));
    }

    @Test
    void throwsWhatTheTaskThrowsAfterGivingTheKeyBack() {
        assertThatThrownBy(() -> locks.call(KEY, lease -> {
                    throw new IOException("disk full");
                }))
                .isInstanceOf(IOException.class)
                .hasNoSuppressedExceptions();
        assertThat(store.isHeld(KEY)).isFalse();
    }

    @Test
    void interruptsTheTaskWhenTheLeaseIsLostAndClearsItsOwnInterrupt() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<Boolean> flagAfterwards = new CompletableFuture<>();
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread worker = new Thread(() -> {
            try {
                locks.call(KEY, lease -> {
                    running.countDown();
                    new CountDownLatch(1).await();
                    return "never";
                });
            } catch (InterruptedException | LeaseLostException failure) {
                thrown.complete(failure);
            }
            flagAfterwards.complete(Thread.currentThread().isInterrupted());
        });
        worker.start();
        assertThat(running.await(5, TimeUnit.SECONDS)).isTrue();
        store.renewing.fail();
        seconds(25);
        assertThat(thrown.get(5, TimeUnit.SECONDS)).isInstanceOfSatisfying(LeaseLostException.class, lost -> {
            assertThat(lost.lossCause()).isEqualTo(LossCause.UNCONFIRMED);
            assertThat(lost.getSuppressed()).hasOnlyElementsOfType(InterruptedException.class);
        });
        assertThat(flagAfterwards.get(5, TimeUnit.SECONDS)).isFalse();
        assertThat(store.current(KEY)).isNull();
    }

    @Test
    void clearsItsInterruptThoughTheTaskNeverNoticedIt() {
        store.renewing.fail();
        assertThatThrownBy(() -> locks.call(KEY, lease -> {
                    seconds(25);
                    return "too late";
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void leavesAForeignInterruptAlone() {
        store.renewing.fail();
        assertThatThrownBy(() -> locks.call(KEY, lease -> {
                    Thread.currentThread().interrupt();
                    seconds(25);
                    return "too late";
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void anErrorOfTheTaskGoesBeforeTheLoss() {
        store.renewing.fail();
        assertThatThrownBy(() -> locks.call(KEY, lease -> {
                    seconds(25);
                    throw new AssertionError("broken");
                }))
                .isInstanceOf(AssertionError.class)
                .satisfies(error -> assertThat(error.getSuppressed()).hasOnlyElementsOfType(LeaseLostException.class));
    }

    @Test
    void doesNotCountWhatRanUnderALeaseTakenAway() {
        assertThatThrownBy(() -> locks.call(KEY, lease -> {
                    locks.evict(KEY, lease.token(), "ops", "test");
                    return "done";
                }))
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.lossCause()).isEqualTo(LossCause.EVICTED));
    }

    @Test
    void aStoreThatFailsAtTheEndDoesNotUndoTheWork() {
        Outcome<String> outcome = locks.call(KEY, lease -> {
            store.releasing.fail();
            return "done";
        });
        assertThat(outcome).isEqualTo(new Outcome.Ran<>("done"));
    }

    @Test
    void aStoreThatBreaksAtTheEndDoesNotHideWhatTheTaskDid() {
        Runnable broken = () -> {
            throw new IllegalStateException("a broken driver");
        };
        Outcome<String> outcome = locks.call(KEY, lease -> {
            store.releasing.before = broken;
            return "done";
        });
        assertThat(outcome).isEqualTo(new Outcome.Ran<>("done"));
        assertThatThrownBy(() -> locks.call(OTHER, lease -> {
                    throw new IOException("disk full");
                }))
                .isInstanceOf(IOException.class);
    }

    @Test
    void mayTakeFiveMinutesUnlessOptionsSayOtherwise() {
        assertThatThrownBy(() -> locks.call(KEY, lease -> {
                    seconds(299);
                    assertThat(lease.isHeld()).isTrue();
                    seconds(1);
                    return "too late";
                }))
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.lossCause()).isEqualTo(LossCause.OVERDUE));
        Outcome<String> longer = locks.call(KEY, locks.defaultOptions().maxHold(Duration.ofHours(1)), lease -> {
            seconds(1000);
            return "in time";
        });
        assertThat(longer).isEqualTo(new Outcome.Ran<>("in time"));
    }
}
