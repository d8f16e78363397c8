package io.interlock.engine.internal.worker;

import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.runtime.EngineThreads.EngineTimers;
import io.interlock.spi.run.WorkSteps;
import io.interlock.time.Timers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What work has to say, on its way to the store: its end from time to time while the work goes on, so that people can read along,
 * and a longer one when it has ended. Nothing that goes wrong here decides how a run ends. Safe for use by many threads.
 */
public final class WorkOutput {

    /** How often at the most it is sent while the work goes on. */
    static final Duration EVERY = Duration.ofSeconds(3);

    /** How many characters of it, meanwhile: never more than 8 KiB of plain text. */
    static final int MEANWHILE = 8 * 1024;

    private static final Logger log = LoggerFactory.getLogger(WorkOutput.class);
    private static final double SPREAD = 0.2;

    private final WorkSteps steps;
    private final EngineThreads threads;
    private final EngineTimers timers;
    private final HeldRun held;
    private final OutputTail tail = new OutputTail();
    // Of two texts on their way, the longer one of the end must arrive last.
    private final Object sending = new Object();
    private Timers.@Nullable Scheduled next;
    private boolean over;

    WorkOutput(WorkSteps steps, EngineThreads threads, EngineTimers timers, HeldRun held) {
        this.steps = steps;
        this.threads = threads;
        this.timers = timers;
        this.held = held;
    }

    void add(String text) {
        tail.add(text);
        synchronized (this) {
            if (next == null && !over && !text.isEmpty()) {
                Duration pause = timers.time().jittered(EVERY, SPREAD);
                next = timers.chores().after(pause, () -> threads.call(this::tellMeanwhile));
            }
        }
    }

    /** Keeps the end of it for good; what comes after is not kept. */
    void end() {
        synchronized (this) {
            over = true;
            if (next != null) {
                next.cancel();
            }
        }
        synchronized (sending) {
            keep(tail.text(OutputTail.MOST));
        }
    }

    private boolean tellMeanwhile() {
        synchronized (sending) {
            synchronized (this) {
                next = null;
                if (over) {
                    return false;
                }
            }
            return held.lost() == null && keep(tail.text(MEANWHILE));
        }
    }

    private boolean keep(String text) {
        try {
            return !text.isEmpty() && steps.keepOutput(held.outputNote(text));
        } catch (RuntimeException | Error failure) {
            log.warn("the output of {} could not be kept: {}", held, failure.toString());
            return false;
        }
    }

    /** The end of what work has to say, at most {@link #MOST} characters of it. Safe for use by many threads. */
    private static final class OutputTail {

        /** So many characters never make more than the 64 KiB a store keeps. */
        static final int MOST = 16 * 1024;

        private final StringBuilder text = new StringBuilder();

        synchronized void add(String more) {
            text.append(more);
            if (text.length() > 2 * MOST) {
                text.delete(0, beginning(MOST));
            }
        }

        /** The last {@code most} characters of it. */
        synchronized String text(int most) {
            return text.substring(beginning(most));
        }

        private int beginning(int most) {
            int from = Math.max(0, text.length() - most);
            return from > 0 && Character.isLowSurrogate(text.charAt(from)) ? from + 1 : from;
        }
    }
}
