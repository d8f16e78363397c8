package io.interlock.time;

import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The only class that uses the JVM's clocks, threads and random numbers directly. */
final class SystemEnvironment implements Environment {

    static final SystemEnvironment INSTANCE = new SystemEnvironment();

    private static final Logger log = LoggerFactory.getLogger(SystemEnvironment.class);

    private SystemEnvironment() {}

    @Override
    public InstantSource clock() {
        return InstantSource.system();
    }

    @Override
    public Ticker ticker() {
        return System::nanoTime;
    }

    @Override
    public Timers timers(String name) {
        return new SystemTimers(threads(name));
    }

    @Override
    public ThreadFactory threads(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler(
                    (t, error) -> log.error("thread {} ended by {}", t.getName(), error, error));
            return thread;
        };
    }

    @Override
    public RandomGenerator random() {
        return Randomness.SOURCE;
    }

    /** Set up when it is first used: it takes milliseconds, which a command that starts can spend on another thread. */
    private static final class Randomness {
        static final SecureRandom SOURCE = new SecureRandom();
    }

    private static final class SystemTimers implements Timers {

        private final ScheduledThreadPoolExecutor executor;

        SystemTimers(ThreadFactory threads) {
            executor = new ScheduledThreadPoolExecutor(1, threads);
            executor.setRemoveOnCancelPolicy(true);
            executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        }

        @Override
        public Scheduled after(Duration delay, Runnable task) {
            try {
                Future<?> future = executor.schedule(() -> runGuarded(task), delay.toNanos(), TimeUnit.NANOSECONDS);
                return () -> future.cancel(false);
            } catch (RejectedExecutionException closed) {
                return () -> {};
            }
        }

        @Override
        public void close() {
            // Not shutdownNow: a running task may call a store, and an interrupt would leave its answer unclear.
            executor.shutdown();
        }

        private static void runGuarded(Runnable task) {
            try {
                task.run();
            } catch (RuntimeException | Error failure) {
                log.error("a timed task failed: {}", failure.toString(), failure);
            }
        }
    }
}
