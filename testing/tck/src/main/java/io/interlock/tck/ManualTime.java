package io.interlock.tck;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Time controlled by a test: it stands still until {@link #advance} moves it; all tasks due meanwhile have run when
 * that returns, in order.
 *
 * <p>Threads and random numbers are real. Thread-safe; only one thread advances.
 */
public final class ManualTime implements Environment {

    private final Environment real = Environment.system();
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::dueAt).thenComparingLong(Task::number));
    private long nanos;
    private long created;
    private Instant wall;

    private record Task(long dueAt, long number, ManualTimers timers, Runnable action) {}

    /** Time that stands at the beginning of 2026. */
    public ManualTime() {
        this(Instant.parse("2026-01-01T00:00:00Z"));
    }

    /** Time that stands at {@code start}. */
    public ManualTime(Instant start) {
        wall = start;
    }

    /** Advances by {@code time}, and returns when all due tasks have run. */
    public void advance(Duration time) {
        long target;
        synchronized (this) {
            target = nanos + time.toNanos();
        }
        for (Task due = next(target); due != null; due = next(target)) {
            due.timers().run(due.action());
        }
        synchronized (this) {
            moveTo(target);
        }
    }

    /** Sets the wall clock forward or back without elapsed time, as an operator or a time server would. */
    public synchronized void jumpClock(Duration jump) {
        wall = wall.plus(jump);
    }

    /** The number of scheduled tasks. */
    public synchronized int scheduled() {
        return tasks.size();
    }

    @Override
    public InstantSource clock() {
        return () -> {
            synchronized (this) {
                return wall;
            }
        };
    }

    @Override
    public Ticker ticker() {
        return () -> {
            synchronized (this) {
                return nanos;
            }
        };
    }

    @Override
    public Timers timers(String name) {
        return new ManualTimers(name);
    }

    @Override
    public ThreadFactory threads(String name) {
        return real.threads(name);
    }

    @Override
    public RandomGenerator random() {
        return real.random();
    }

    private synchronized @Nullable Task next(long target) {
        Task due = tasks.peek();
        if (due == null || due.dueAt() > target) {
            return null;
        }
        moveTo(Math.max(nanos, due.dueAt()));
        return tasks.poll();
    }

    private void moveTo(long target) {
        wall = wall.plusNanos(target - nanos);
        nanos = target;
    }

    private final class ManualTimers implements Timers {

        private final ExecutorService thread;

        ManualTimers(String name) {
            thread = Executors.newSingleThreadExecutor(real.threads(name));
        }

        @Override
        public Scheduled after(Duration delay, Runnable action) {
            if (delay.isNegative() || delay.isZero()) {
                start(action, () -> {});
                return () -> {};
            }
            synchronized (ManualTime.this) {
                Task task = new Task(nanos + delay.toNanos(), created++, this, action);
                if (!thread.isShutdown()) {
                    tasks.add(task);
                }
                return () -> {
                    synchronized (ManualTime.this) {
                        tasks.remove(task);
                    }
                };
            }
        }

        @Override
        public void close() {
            synchronized (ManualTime.this) {
                tasks.removeIf(task -> task.timers() == this);
            }
            thread.shutdown();
        }

        /** Runs {@code action} on the thread of these timers, and returns when it is done. */
        private void run(Runnable action) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            start(action, () -> done.complete(null));
            done.join();
        }

        // A task that throws affects neither the timers nor later tasks: its failure goes to the thread's handler.
        private void start(Runnable action, Runnable whenDone) {
            try {
                thread.execute(() -> {
                    try {
                        action.run();
                    } finally {
                        whenDone.run();
                    }
                });
            } catch (RejectedExecutionException closed) {
                whenDone.run();
            }
        }
    }
}
