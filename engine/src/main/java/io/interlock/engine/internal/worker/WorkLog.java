package io.interlock.engine.internal.worker;

import io.interlock.DurationText;
import io.interlock.LossCause;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.run.StopRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down what befalls work, elsewhere than on the thread that judges it: a log may have to wait for whoever reads it, and other work
 * must be told to stop meanwhile. Never waits. Safe for use by many threads.
 */
public final class WorkLog {

    private static final Logger log = LoggerFactory.getLogger(WorkLog.class);

    private final EngineThreads threads;

    WorkLog(EngineThreads threads) {
        this.threads = threads;
    }

    void stopping(HeldRun work, StopRequest stop) {
        threads.tell(() -> writeStop(work, stop));
    }

    /**
     * The lease is lost.
     *
     * @param stop what the work is told for that, or {@code null} if it was told to stop before
     */
    void lost(HeldRun work, LossCause cause, @Nullable StopRequest stop) {
        String where = work.report().where();
        threads.tell(() -> {
            log.warn(
                    "the lease of run {} of job {} under {} with token {} is lost{}: {}",
                    work.run().id(),
                    work.run().job(),
                    work.key(),
                    work.token(),
                    where,
                    cause.explanation());
            if (stop != null) {
                writeStop(work, stop);
            }
        });
    }

    void stuck(HeldRun work) {
        String where = work.report().where();
        threads.tell(() -> log.error(
                "run {} of job {} under {} was told to stop and did not within {}; its lease is left to end{}",
                work.run().id(),
                work.run().job(),
                work.key(),
                DurationText.format(work.job().grace()),
                where));
    }

    void overBudget(HeldRun work, String stage, Duration budget) {
        threads.tell(() -> log.warn(
                "run {} of job {} under {} takes longer than {} for stage {}",
                work.run().id(),
                work.run().job(),
                work.key(),
                DurationText.format(budget),
                stage));
    }

    private static void writeStop(HeldRun work, StopRequest stop) {
        log.info(
                "run {} of job {} under {} is told to stop: {}",
                work.run().id(),
                work.run().job(),
                work.key(),
                stop.reason());
    }
}
