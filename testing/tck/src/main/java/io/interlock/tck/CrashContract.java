package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The store crashes while it is used. */
interface CrashContract extends Contract {

    /** The number of concurrent threads. */
    int THREADS = 8;

    @Test
    default void aCrashUnderLoadHarmsNobodyAndServiceResumesByItself() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicIntegerArray turns = new AtomicIntegerArray(THREADS);
        List<Future<?>> crowd = new ArrayList<>();
        try {
            for (int i = 0; i < THREADS; i++) {
                int number = i;
                crowd.add(threads.submit(() -> lockUntil(stop, turns, number)));
            }
            awaitTurns(turns, 2, crowd);
            assumeTrue(bench().harness().crash(), "this store cannot be crashed");
            int before = most(turns);
            Refusal quiet = quietPeriod();
            if (quiet != null) {
                bench().advancePast(quiet.retryAfter());
            }
            awaitTurns(turns, before + 2, crowd);
        } finally {
            stop.set(true);
            threads.shutdown();
            assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        }
        for (Future<?> member : crowd) {
            member.get();
        }
    }

    private void lockUntil(AtomicBoolean stop, AtomicIntegerArray turns, int number) {
        LockKey key = key("crash/" + number % 3);
        while (!stop.get()) {
            // Repeats the request until the answer is clear: an unknown grant would keep the key closed.
            AcquireRequest request = ContractRequests.forKey(key);
            AcquireAnswer answer = insist(() -> client().ask(request));
            if (answer instanceof AcquireAnswer.Granted granted) {
                LeaseRecord lease = granted.grants().get(0).lease();
                insist(() -> client().release(lease));
                turns.incrementAndGet(number);
            } else {
                LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
            }
        }
    }

    private static <T> T insist(Supplier<T> call) {
        for (int attempt = 0; attempt < 600; attempt++) {
            try {
                return call.get();
            } catch (StoreUnavailableException unclear) {
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        }
        throw new AssertionError("the store did not answer again within 30 s");
    }

    private @Nullable Refusal quietPeriod() {
        AcquireAnswer answer = insist(() -> client().ask(ContractRequests.forKey(key("crash/probe"))));
        return answer instanceof AcquireAnswer.Refused refused ? refused.refusal() : null;
    }

    private static void awaitTurns(AtomicIntegerArray turns, int least, List<Future<?>> crowd) {
        Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> {
            for (Future<?> member : crowd) {
                if (member.isDone()) {
                    member.get();
                }
            }
            for (int i = 0; i < turns.length(); i++) {
                if (turns.get(i) < least) {
                    return false;
                }
            }
            return true;
        });
    }

    private static int most(AtomicIntegerArray turns) {
        int most = 0;
        for (int i = 0; i < turns.length(); i++) {
            most = Math.max(most, turns.get(i));
        }
        return most;
    }
}
