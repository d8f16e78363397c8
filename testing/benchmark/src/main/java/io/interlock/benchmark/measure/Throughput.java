package io.interlock.benchmark.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Many threads that repeat a step for a while. */
public final class Throughput {

    private static final Duration LONGEST_STEP = Duration.ofSeconds(30);

    private final Step step;
    private final boolean timed;
    private final LongAdder steps = new LongAdder();
    private final Latencies latencies = new Latencies();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    private Throughput(Step step, boolean timed) {
        this.step = step;
        this.timed = timed;
    }

    /** Repeats {@code step} on so many threads, and measures once the lead-in is over. */
    public static Measurement measure(int threads, Pace pace, Meter meter, Step step) throws Exception {
        return new Throughput(step, true).run(threads, pace, meter);
    }

    /** Like {@link #measure}, without latencies: each thread has many steps under way, and a call ends with any of them. */
    public static Measurement count(int threads, Pace pace, Meter meter, Step step) throws Exception {
        return new Throughput(step, false).run(threads, pace, meter);
    }

    private Measurement run(int threads, Pace pace, Meter meter) throws Exception {
        meter.checkpoint();
        List<Thread> running = new ArrayList<>();
        try {
            for (int i = 0; i < threads; i++) {
                int thread = i;
                running.add(new Thread(() -> repeat(thread), "step-" + i));
            }
            running.forEach(Thread::start);
            pause(pace.leadIn());
            latencies.clear();
            Meter.Reading before = meter.read(steps::sum);
            long from = System.nanoTime();
            long first = steps.sum();
            pause(pace.time());
            long done = steps.sum() - first;
            double seconds = (System.nanoTime() - from) / 1e9;
            Measurement measured = Measurement.none().with(Figure.PER_SECOND, done / seconds);
            if (timed && latencies.size() > 0) {
                measured = measured.with(Figure.P50_MICROS, latencies.micros(0.5))
                        .with(Figure.P99_MICROS, latencies.micros(0.99));
            }
            return measured.with(before.until(meter.read(steps::sum)));
        } finally {
            over.set(true);
            end(running);
        }
    }

    private void repeat(int thread) {
        try {
            while (!over.get()) {
                long began = System.nanoTime();
                step.run(thread);
                latencies.record(System.nanoTime() - began);
                steps.increment();
            }
        } catch (Exception stopped) {
            if (!over.get()) {
                failure.compareAndSet(null, stopped);
            }
        }
    }

    private void pause(Duration time) throws Exception {
        long until = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0 && failure.get() == null; left = until - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.MILLISECONDS.toNanos(50)));
        }
        Exception failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a step failed: " + failed, failed);
        }
    }

    private static void end(List<Thread> running) {
        long until = System.nanoTime() + LONGEST_STEP.toNanos();
        boolean interrupted = false;
        for (Thread thread : running) {
            try {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())));
            } catch (InterruptedException stop) {
                interrupted = true;
            }
            if (thread.isAlive()) {
                thread.interrupt();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What is repeated. */
    @FunctionalInterface
    public interface Step {

        /** Does it once, as thread number {@code thread}. */
        void run(int thread) throws Exception;
    }
}
