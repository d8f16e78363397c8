package io.interlock.engine.schedule.internal;

import io.interlock.time.Environment;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does something again and again, on a thread of its own, give or take a fifth of the time between so that processes do not
 * march in step. A round that throws harms no later one; of many failures in a row the first is logged, and the end of them.
 */
public final class Loop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Loop.class);
    private static final double SPREAD = 0.2;
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    private final String what;
    private final Duration every;
    private final Round round;
    private final RandomGenerator random;
    private final Timers timers;
    private volatile boolean closed;
    private boolean failing;

    /** What is done in one round. */
    @FunctionalInterface
    public interface Round {

        /**
         * Does it once.
         *
         * @return whether there is more to do at once
         */
        boolean run();
    }

    private Loop(Environment environment, String what, Duration every, Round round) {
        this.what = what;
        this.every = every;
        this.round = round;
        random = environment.random();
        timers = environment.timers("interlock-" + what);
    }

    /**
     * Begins, with the first round after {@code every}.
     *
     * @param what one word for its thread and its log lines
     */
    public static Loop start(Environment environment, String what, Duration every, Round round) {
        Loop loop = new Loop(environment, what, every, round);
        loop.next(false);
        return loop;
    }

    /** Begins no more rounds; one under way goes on. May be called twice. */
    @Override
    public void close() {
        closed = true;
        timers.close();
    }

    private void next(boolean atOnce) {
        double factor = 1 - SPREAD + 2 * SPREAD * random.nextDouble();
        Duration wait = atOnce ? AT_ONCE : Duration.ofNanos((long) (every.toNanos() * factor));
        timers.after(wait, this::turn);
    }

    private void turn() {
        boolean more = false;
        try {
            more = round.run();
            if (failing) {
                failing = false;
                log.info("{} works again", what);
            }
        } catch (RuntimeException failure) {
            if (!failing && !closed) {
                failing = true;
                log.warn("{} failed and is tried again until it works: {}", what, failure.toString());
            }
        } finally {
            next(more);
        }
    }
}
