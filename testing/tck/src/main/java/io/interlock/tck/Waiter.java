package io.interlock.tck;

import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;

/** A thread that waits for something. */
final class Waiter {

    private static final Set<Thread.State> WAITS = EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);
    /** Packages whose code is on the stack of a thread while it waits for a store. */
    private static final List<String> STEPS = List.of("io.interlock.store.", "io.interlock.batch.");

    private static final int PATIENCE_SECONDS = 25;

    private final CompletableFuture<Object> outcome = new CompletableFuture<>();
    private final Thread thread;

    private Waiter(Callable<?> work) {
        thread = Environment.system().threads("waiter").newThread(() -> {
            try {
                outcome.complete(work.call());
            } catch (Throwable failure) {
                outcome.completeExceptionally(failure);
            }
        });
        thread.start();
    }

    /** A thread that has begun {@code work}. */
    static Waiter started(Callable<?> work) {
        return new Waiter(work);
    }

    /** A thread that has begun {@code work} and waits. */
    static Waiter waiting(Callable<?> work) {
        Waiter waiter = new Waiter(work);
        Awaitility.await()
                .pollInterval(Duration.ofMillis(5))
                .atMost(Duration.ofSeconds(10))
                .until(() -> WAITS.contains(waiter.thread.getState()) || waiter.outcome.isDone());
        return waiter;
    }

    /** A thread that has begun {@code work} and waits in the queue of the lock library, no longer for an answer of the store. */
    static Waiter queued(Callable<?> work) {
        Waiter waiter = new Waiter(work);
        Awaitility.await()
                .pollInterval(Duration.ofMillis(5))
                .atMost(Duration.ofSeconds(10))
                .until(() ->
                        (WAITS.contains(waiter.thread.getState()) && !waiter.isInAStep()) || waiter.outcome.isDone());
        return waiter;
    }

    private boolean isInAStep() {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> STEPS.stream().anyMatch(frame.getClassName()::startsWith));
    }

    /** Starts {@code work} on its own thread. */
    static <T> T elsewhere(Callable<T> work) throws Exception {
        AtomicReference<T> result = new AtomicReference<>();
        new Waiter(() -> {
                    result.set(work.call());
                    return true;
                })
                .result();
        return Objects.requireNonNull(result.get());
    }

    void interrupt() {
        thread.interrupt();
    }

    /** The result of the work. */
    Object result() throws Exception {
        return outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** The failure of the work. */
    Throwable failure() throws Exception {
        try {
            throw new AssertionError("it did not fail, but returned " + result());
        } catch (ExecutionException failed) {
            return Objects.requireNonNull(failed.getCause());
        }
    }

    /** Waits for the end. */
    void finished() throws InterruptedException, TimeoutException {
        try {
            outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            if (!(failed.getCause() instanceof InterruptedException)) {
                throw new AssertionError(failed.getCause());
            }
        }
    }
}
