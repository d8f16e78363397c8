package io.interlock.engine;

import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * A world with one thread, the test's: time passes only when the test says so, and everything happens in the order of its
 * time. The same seed gives the same world. Processes in it can be killed and frozen.
 */
final class Simulation {

    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::due).thenComparingLong(Task::number));
    private final Random random;
    private long nanos;
    private long numbers;

    /** Something to be done in time. */
    private static final class Task {
        private final long due;
        private final long number;
        private final Host process;
        private final Runnable action;
        private boolean cancelled;

        Task(long due, long number, Host process, Runnable action) {
            this.due = due;
            this.number = number;
            this.process = process;
            this.action = action;
        }

        long due() {
            return due;
        }

        long number() {
            return number;
        }
    }

    Simulation(long seed) {
        random = new Random(seed);
    }

    Random random() {
        return random;
    }

    /** Time since the beginning. */
    Duration now() {
        return Duration.ofNanos(nanos);
    }

    /** A process of its own, on a machine of its own. */
    Host host() {
        return new Host();
    }

    /** Lets time pass, and does what becomes due. */
    void advance(Duration time) {
        long target = nanos + time.toNanos();
        while (!tasks.isEmpty() && tasks.peek().due <= target) {
            Task task = tasks.poll();
            nanos = Math.max(nanos, task.due);
            if (!task.cancelled && task.process.alive) {
                task.action.run();
            }
        }
        nanos = Math.max(nanos, target);
    }

    /** Time passes while nothing runs: the machine was paused. Both clocks go on. */
    void freeze(Duration time) {
        nanos += time.toNanos();
    }

    /** What one process lives in. */
    final class Host implements Environment {

        private boolean alive = true;
        private Duration slept = Duration.ZERO;

        /** Nothing of this process ever runs again. */
        void kill() {
            alive = false;
        }

        /** The wall clock goes on while the ticker stands still. */
        void sleep(Duration time) {
            slept = slept.plus(time);
        }

        /** Threads that run everything at once, but for work, which is done after it took its time. */
        EngineThreads threads(Supplier<Duration> workTime) {
            return new EngineThreads(
                    Runnable::run,
                    Runnable::run,
                    Runnable::run,
                    work -> schedule(workTime.get(), work),
                    Runnable::run,
                    () -> {});
        }

        @Override
        public InstantSource clock() {
            return () -> START.plusNanos(nanos).plus(slept);
        }

        @Override
        public Ticker ticker() {
            return () -> nanos;
        }

        @Override
        public Timers timers(String name) {
            return new Timers() {
                private boolean closed;

                @Override
                public Scheduled after(Duration delay, Runnable task) {
                    if (closed) {
                        return () -> {};
                    }
                    Task added = schedule(delay, () -> {
                        if (!closed) {
                            task.run();
                        }
                    });
                    return () -> added.cancelled = true;
                }

                @Override
                public void close() {
                    closed = true;
                }
            };
        }

        @Override
        public ThreadFactory threads(String name) {
            return Environment.system().threads(name);
        }

        @Override
        public RandomGenerator random() {
            return random;
        }

        private Task schedule(Duration delay, Runnable action) {
            long due = nanos + Math.max(0, delay.toNanos());
            Task task = new Task(due, numbers++, this, action);
            if (alive) {
                tasks.add(task);
            }
            return task;
        }
    }
}
