package io.interlock.locks;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;

/**
 * Time that passes only when a test says so. Timed tasks run on the test's thread, in the order of their time, except those
 * of timers that were {@linkplain #onOwnThread given a thread} because their tasks are meant to hang. So do renewals, unless they were
 * given threads: a caller that has none to do them apart does them on its own thread.
 */
final class TimeInHand implements Environment {

    /** The threads of renewals that are made apart from the others. */
    static final String RENEWALS = "interlock-renewal";

    private record Task(Instant due, long number, String name, Object timers, Runnable action) {}

    private final List<Task> tasks = new ArrayList<>();
    private final Set<String> threaded = ConcurrentHashMap.newKeySet();
    private final ExecutorService hanging =
            Executors.newCachedThreadPool(Environment.system().threads("hanging"));
    private final Random random = new Random(4711);
    private long nanos = 1_000_000_000_000L;
    private Instant wall = Instant.parse("2026-03-01T12:00:00Z");
    private Instant ticked = Instant.EPOCH;
    private long numbers;

    /** Lets the tasks of {@code timers}, or renewals, run on a thread of their own, without waiting for them. */
    TimeInHand onOwnThread(String timers) {
        threaded.add(timers);
        return this;
    }

    /** Lets time pass, and does what becomes due. */
    void advance(Duration duration) {
        Instant target = ticked().plus(duration);
        for (Optional<Task> next = take(target); next.isPresent(); next = take(target)) {
            Task task = next.get();
            if (threaded.contains(task.name())) {
                hanging.execute(task.action());
            } else {
                task.action().run();
            }
        }
    }

    /** The machine sleeps: the wall clock and everybody else's go on, the ticker and timers do not. */
    synchronized void sleepMachine(Duration duration) {
        wall = wall.plus(duration);
    }

    /** How many tasks wait for their time. */
    synchronized int scheduled() {
        return tasks.size();
    }

    @Override
    public InstantSource clock() {
        return this::wall;
    }

    @Override
    public Ticker ticker() {
        return this::nanos;
    }

    @Override
    public Timers timers(String name) {
        return new Timers() {
            private boolean closed;

            @Override
            public Scheduled after(Duration delay, Runnable task) {
                synchronized (TimeInHand.this) {
                    if (closed) {
                        return () -> {};
                    }
                    Duration wait = delay.isNegative() ? Duration.ZERO : delay;
                    Task added = new Task(ticked.plus(wait), numbers++, name, this, task);
                    tasks.add(added);
                    return () -> remove(added);
                }
            }

            @Override
            public void close() {
                synchronized (TimeInHand.this) {
                    closed = true;
                    tasks.removeIf(task -> task.timers() == this);
                }
            }
        };
    }

    @Override
    public ThreadFactory threads(String name) {
        ThreadFactory real = Environment.system().threads(name);
        return task -> {
            if (name.equals(RENEWALS) && !threaded.contains(name)) {
                throw new RejectedExecutionException("no thread for " + name);
            }
            return real.newThread(task);
        };
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    private synchronized Instant wall() {
        return wall;
    }

    private synchronized Instant ticked() {
        return ticked;
    }

    private synchronized long nanos() {
        return nanos;
    }

    private synchronized void remove(Task task) {
        tasks.remove(task);
    }

    private synchronized Optional<Task> take(Instant target) {
        Optional<Task> first = tasks.stream()
                .filter(task -> !task.due().isAfter(target))
                .min(Comparator.comparing(Task::due).thenComparing(Task::number));
        // A task may have let time pass itself: it never goes back.
        Instant next = first.map(Task::due).orElse(target);
        Instant now = next.isAfter(ticked) ? next : ticked;
        Duration step = Duration.between(ticked, now);
        ticked = now;
        wall = wall.plus(step);
        nanos += step.toNanos();
        first.ifPresent(tasks::remove);
        return first;
    }
}
