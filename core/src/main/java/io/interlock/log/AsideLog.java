package io.interlock.log;

import io.interlock.time.Environment;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes log messages on its own thread. Logging may block on a full pipe or disk; the threads that renew leases must
 * not block with it.
 *
 * <p>It never blocks and never throws. A bounded number of messages waits; further ones are dropped, and their number
 * is logged later. An idle thread ends. Thread-safe.
 */
public final class AsideLog {

    private static final Logger log = LoggerFactory.getLogger(AsideLog.class);
    private static final int MOST_WAITING = 1_000;
    private static final long IDLE_SECONDS = 20;

    private final ThreadPoolExecutor writer;
    private final AtomicLong dropped = new AtomicLong();

    /** A log with a thread of {@code environment}. */
    public AsideLog(Environment environment) {
        writer = new ThreadPoolExecutor(
                1,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MOST_WAITING),
                environment.threads("interlock-log"));
        writer.allowCoreThreadTimeOut(true);
    }

    /** Runs {@code message}, which calls a logger, on that thread. */
    public void write(Runnable message) {
        try {
            writer.execute(() -> {
                long lost = dropped.getAndSet(0);
                if (lost > 0) {
                    log.warn("{} log messages were dropped because the log was too slow", lost);
                }
                message.run();
            });
        } catch (RejectedExecutionException | OutOfMemoryError full) {
            dropped.incrementAndGet();
        }
    }
}
