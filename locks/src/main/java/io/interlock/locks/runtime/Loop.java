package io.interlock.locks.runtime;

import io.interlock.log.AsideLog;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does something again and again, on a thread of its own, give or take a fifth of the time between so that processes do not
 * run at the same moments. A round that throws harms no later one; of many failures in a row the first is logged, and the end of them. A log
 * that hangs holds up no round.
 */
public final class Loop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Loop.class);
    private static final double SPREAD = 0.2;
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    private final String what;
    private final Duration every;
    private final Paced round;
    private final LocalTime time;
    private final Timers timers;
    private final AsideLog aside;
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

    /** What is done in one round, if that decides when the next one is. */
    @FunctionalInterface
    public interface Paced {

        /** Does it once, and says how long to wait before the next time. */
        Duration run();
    }

    private Loop(Environment environment, String what, Duration every, Paced round) {
        this.what = what;
        this.every = every;
        this.round = round;
        time = new LocalTime(environment);
        timers = environment.timers("interlock-" + what);
        aside = new AsideLog(environment);
    }

    /**
     * Begins, with the first round after {@code every}.
     *
     * @param what one word for its thread and its log lines
     */
    public static Loop start(Environment environment, String what, Duration every, Round round) {
        LocalTime time = new LocalTime(environment);
        Loop loop = new Loop(environment, what, every, () -> round.run() ? AT_ONCE : time.jittered(every, SPREAD));
        loop.next(time.jittered(every, SPREAD));
        return loop;
    }

    /**
     * Begins at once. A round that throws is tried again after {@code every}.
     *
     * @param what one word for its thread and its log lines
     */
    public static Loop paced(Environment environment, String what, Duration every, Paced round) {
        Loop loop = new Loop(environment, what, every, round);
        loop.next(AT_ONCE);
        return loop;
    }

    /** Begins no more rounds; one under way goes on. May be called twice. */
    @Override
    public void close() {
        closed = true;
        timers.close();
    }

    private void next(Duration wait) {
        timers.after(wait.compareTo(AT_ONCE) < 0 ? AT_ONCE : wait, this::turn);
    }

    private void turn() {
        Duration wait = time.jittered(every, SPREAD);
        try {
            wait = round.run();
            if (failing) {
                failing = false;
                aside.write(() -> log.info("{} works again", what));
            }
        } catch (RuntimeException failure) {
            if (!failing && !closed) {
                failing = true;
                aside.write(() -> log.warn("{} failed; retrying: {}", what, failure.toString()));
            }
        } finally {
            next(wait);
        }
    }
}
