package io.interlock.engine.internal.worker;

import io.interlock.LossCause;
import io.interlock.engine.internal.runtime.EngineTimers;
import io.interlock.time.LocalTime;
import io.interlock.time.Moment;
import io.interlock.time.SleepWatch;
import io.interlock.time.TimerQueue;
import java.time.Duration;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Judges runs by the local clock: a lease that was not confirmed in time, a max runtime that is over, a stage that takes too
 * long, work that does not stop. It never blocks, so a store call that hangs cannot keep work from hearing that it must stop.
 */
public final class DeadlineWatch {

    private static final Logger log = LoggerFactory.getLogger(DeadlineWatch.class);
    private static final long JUDGED_AGAIN = Duration.ofMillis(100).toNanos();
    private static final long NEVER = Duration.ofDays(3650).toNanos();

    private final HeldRun.Listener listener;
    private final LocalTime time;
    private final TimerQueue<HeldRun> timerQueue;
    private final SleepWatch sleep;

    /**
     * A watch over no run yet.
     *
     * @param afterSleep runs when the machine has slept
     */
    DeadlineWatch(EngineTimers timers, HeldRun.Listener listener, Runnable afterSleep) {
        this.listener = listener;
        this.time = timers.time();
        this.timerQueue = new TimerQueue<>(
                timers.deadlines(), timers.environment().ticker(), due -> due.forEach(this::judgeApart));
        this.sleep = new SleepWatch(timers.deadlines(), time, timerQueue, afterSleep);
    }

    TimerQueue.Entry<HeldRun> entry(HeldRun held) {
        return timerQueue.entry(held, Duration.ZERO);
    }

    /** Begins to watch {@code held}. */
    void watch(HeldRun held) {
        look(held);
        sleep.begin();
    }

    /** Plans anew when {@code held} is to be judged next. */
    void look(HeldRun held) {
        TimerQueue.Entry<HeldRun> entry = held.deadline();
        if (entry != null) {
            // From now on, not from when it was confirmed: the ticker may have stood still in between.
            timerQueue.set(entry, time.now().nanos() + Math.max(0, nextLook(held)));
        }
    }

    void forget(HeldRun held) {
        TimerQueue.Entry<HeldRun> entry = held.deadline();
        if (entry != null) {
            timerQueue.strike(entry);
        }
    }

    /** How long the lease of {@code held} may still be relied upon, in nanoseconds. */
    long reliable(HeldRun held) {
        return held.run().spec().terms().reliance().toNanos() - time.elapsed(held.confirmed());
    }

    // One that cannot be judged must not keep the others from being judged in time.
    private void judgeApart(HeldRun held) {
        try {
            judge(held);
        } catch (RuntimeException | Error failure) {
            log.error("run {} could not be judged and will be again", held.run().id(), failure);
            timerQueue.set(Objects.requireNonNull(held.deadline()), time.now().nanos() + JUDGED_AGAIN);
        }
    }

    private void judge(HeldRun held) {
        if (held.hasEnded()) {
            return;
        }
        if (held.lost() == null && reliable(held) <= 0) {
            listener.lose(held, LossCause.UNCONFIRMED);
        } else if (held.stop().since() == null && runtimeLeft(held) <= 0) {
            listener.overdue(held);
        }
        if (!held.isStuck() && graceLeft(held) <= 0) {
            listener.stuck(held);
            return;
        }
        if (budgetLeft(held) <= 0) {
            listener.overBudget(held);
        }
        look(held);
    }

    private long nextLook(HeldRun held) {
        long next = held.lost() == null ? reliable(held) : NEVER;
        if (held.stop().since() == null) {
            next = Math.min(next, runtimeLeft(held));
        }
        return Math.min(next, Math.min(graceLeft(held), budgetLeft(held)));
    }

    private long runtimeLeft(HeldRun held) {
        return held.run()
                .spec()
                .limits()
                .runtimeLimit()
                .map(limit -> LocalTime.capped(limit).toNanos() - time.elapsed(held.asked()))
                .orElse(NEVER);
    }

    private long graceLeft(HeldRun held) {
        Moment told = held.stop().since();
        return told == null ? NEVER : LocalTime.capped(held.job().grace()).toNanos() - time.elapsed(told);
    }

    private long budgetLeft(HeldRun held) {
        return held.report()
                .current()
                .filter(stage -> !held.isWarnedAbout(stage))
                .flatMap(stage -> held.job()
                        .budget(stage.name())
                        .map(budget -> LocalTime.capped(budget).toNanos() - time.elapsed(stage.since())))
                .orElse(NEVER);
    }
}
