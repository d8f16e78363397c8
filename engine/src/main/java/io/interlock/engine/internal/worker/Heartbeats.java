package io.interlock.engine.internal.worker;

import io.interlock.LossCause;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.runtime.EngineTimers;
import io.interlock.log.AsideLog;
import io.interlock.run.HeartbeatAnswer;
import io.interlock.spi.Answers;
import io.interlock.spi.run.HeartbeatRequest;
import io.interlock.spi.run.WorkSteps;
import io.interlock.time.LocalTime;
import io.interlock.time.Moment;
import io.interlock.time.TimerQueue;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the heartbeats of all runs of this process, those that are due together in one call, on a thread of its own; one that is due
 * alone, on one of several.
 *
 * <p>One that fails is sent again soon, and again, until the run is finished or lost; it is never dropped. Whether a lease is
 * lost for lack of heartbeats is not decided here but by {@link DeadlineWatch}, which a call that hangs cannot hold up.
 */
public final class Heartbeats {

    private static final Logger log = LoggerFactory.getLogger(Heartbeats.class);
    private static final int MAX_RUNS = 500;
    private static final double SPREAD = 0.1;
    private static final int SEARCH_PART = 10;
    private static final Duration SOON = Duration.ofMillis(100);
    private static final Duration AT_LEISURE = Duration.ofSeconds(1);
    private static final long LAST_ANSWERS_SECONDS = 2;

    private final WorkSteps steps;
    private final EngineThreads threads;
    private final HeldRun.Listener listener;
    private final AsideLog aside;
    private final LocalTime time;
    private final Timers timers;
    private final TimerQueue<HeldRun> timerQueue;

    /** Read by those under way; whoever has the last word, writes. */
    private final ReentrantReadWriteLock underWay = new ReentrantReadWriteLock();

    Heartbeats(WorkSteps steps, EngineThreads threads, EngineTimers timers, HeldRun.Listener listener) {
        this.steps = steps;
        this.threads = threads;
        this.listener = listener;
        this.aside = new AsideLog(timers.environment());
        this.time = timers.time();
        this.timers = timers.heartbeats();
        this.timerQueue = new TimerQueue<>(this.timers, timers.environment().ticker(), this::beatDue);
    }

    /** An entry for {@code held}; up to a quarter early, so that runs fall into step and share calls. */
    TimerQueue.Entry<HeldRun> entry(HeldRun held) {
        return timerQueue.entry(held, held.beatEvery().dividedBy(4));
    }

    /** Begins to send heartbeats for {@code held}. */
    void keep(HeldRun held) {
        schedule(held, held.confirmed(), held.beatEvery());
    }

    void forget(HeldRun held) {
        TimerQueue.Entry<HeldRun> entry = held.heartbeat();
        if (entry != null) {
            timerQueue.strike(entry);
        }
    }

    /** Sends the next heartbeat soon: there is something to tell, or to hear. */
    void soon(HeldRun held) {
        if (held.hurry()) {
            hurry(held);
        }
    }

    /** Sends the next heartbeat within a second: there is something to tell that is said again and again. */
    void atLeisure(HeldRun held) {
        TimerQueue.Entry<HeldRun> entry = held.heartbeat();
        if (entry != null) {
            timerQueue.advance(entry, time.now().nanos() + AT_LEISURE.toNanos());
        }
    }

    /** Sends them all, on its thread, now: after a sleep of the machine, the planned time is too late. */
    void allSoon() {
        timers.after(Duration.ZERO, timerQueue::all);
    }

    /** Sends none any more, and lets those under way have their answers, unless the store hangs: it may be closed after this. */
    void close() {
        timers.close();
        try {
            if (!underWay.writeLock().tryLock(LAST_ANSWERS_SECONDS, TimeUnit.SECONDS)) {
                log.debug("heartbeats under way have no answers yet");
            }
        } catch (InterruptedException stopWaiting) {
            Thread.currentThread().interrupt();
        }
    }

    private void beatDue(List<HeldRun> due) {
        beforeTheEnd(() -> {
            for (int from = 0; from < due.size(); from += MAX_RUNS) {
                heartbeat(due.subList(from, Math.min(due.size(), from + MAX_RUNS)), time.now());
            }
        });
    }

    private void beforeTheEnd(Runnable call) {
        if (underWay.readLock().tryLock()) {
            try {
                call.run();
            } finally {
                underWay.readLock().unlock();
            }
        }
    }

    private void heartbeat(List<HeldRun> due, Moment begun) {
        List<Heartbeat> heartbeats = due.stream()
                .filter(held -> held.lost() == null)
                .map(Heartbeat::new)
                .toList();
        if (heartbeats.isEmpty()) {
            return;
        }
        if (heartbeats.size() == 1) {
            // There is no call to share, and one that hangs must not hold up those that are due meanwhile.
            apart(heartbeats.get(0));
            return;
        }
        Moment before = time.now();
        try {
            Answers<HeartbeatAnswer> answers =
                    steps.heartbeat(heartbeats.stream().map(Heartbeat::request).toList());
            List<Heartbeat> open = new ArrayList<>();
            for (int i = 0; i < heartbeats.size(); i++) {
                if (answers.isOpen(i)) {
                    open.add(heartbeats.get(i));
                } else {
                    hear(heartbeats.get(i), answers.get(i), before);
                }
            }
            open.forEach(heartbeat -> apart(heartbeat));
        } catch (StoreUnavailableException unavailable) {
            if (isQuick(begun, heartbeats)) {
                // The store is there, so perhaps it is one of them that it cannot renew.
                int half = due.size() / 2;
                heartbeat(due.subList(0, half), begun);
                heartbeat(due.subList(half, due.size()), begun);
                return;
            }
            heartbeats.forEach(heartbeat -> retry(heartbeat.held));
            aside.write(() ->
                    log.warn("{} heartbeats failed, trying again: {}", heartbeats.size(), unavailable.getMessage()));
        } catch (RuntimeException | Error failure) {
            heartbeats.forEach(this::apart);
            aside.write(() -> log.warn("{} heartbeats failed together, trying each alone", heartbeats.size(), failure));
        }
    }

    // All of it counts, from the first call on: while we search, leases run out.
    private boolean isQuick(Moment begun, List<Heartbeat> heartbeats) {
        long shortest = heartbeats.stream()
                .mapToLong(heartbeat -> heartbeat.held.beatEvery().toNanos())
                .min()
                .orElseThrow();
        return time.elapsed(begun) < shortest / SEARCH_PART;
    }

    // A key that somebody else is changing may keep us waiting; the other runs must not wait with it.
    private void apart(Heartbeat heartbeat) {
        try {
            threads.heartbeats().execute(() -> beforeTheEnd(() -> alone(heartbeat)));
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            alone(heartbeat);
        }
    }

    private void alone(Heartbeat heartbeat) {
        Moment before = time.now();
        try {
            hear(heartbeat, steps.heartbeat(List.of(heartbeat.request())).only(), before);
        } catch (RuntimeException | Error failure) {
            retry(heartbeat.held);
            aside.write(() -> log.warn(
                    "the heartbeat of run {} failed, trying again: {}",
                    heartbeat.held.run().id(),
                    failure.toString()));
        }
    }

    private void hear(Heartbeat heartbeat, HeartbeatAnswer answer, Moment before) {
        HeldRun held = heartbeat.held;
        if (answer instanceof HeartbeatAnswer.Beating beating) {
            held.confirm(before);
            boolean more = held.report().told(heartbeat.words);
            schedule(held, before, held.beatEvery());
            if (more || held.isHurried()) {
                hurry(held);
            } else if (held.report().hasProgress()) {
                atLeisure(held);
            }
            beating.stopRequest().ifPresent(stop -> listener.stop(held, stop));
        } else if (answer instanceof HeartbeatAnswer.Lost lost) {
            if (lost.cause() == LossCause.OVERDUE) {
                // Its lease lives on until it ends, so that the work can stop and say so.
                forget(held);
                listener.overdue(held);
            } else {
                listener.lose(held, lost.cause());
            }
        }
    }

    // A moment later, so that what is said in one breath is told in one call.
    private void hurry(HeldRun held) {
        TimerQueue.Entry<HeldRun> entry = held.heartbeat();
        if (entry != null) {
            timerQueue.set(entry, time.now().nanos() + SOON.toNanos());
        }
    }

    private void retry(HeldRun held) {
        schedule(held, time.now(), held.beatEvery().dividedBy(4));
    }

    // An entry struck off by the end or by loss stays off, whichever answer arrives late.
    private void schedule(HeldRun held, Moment from, Duration delay) {
        TimerQueue.Entry<HeldRun> entry = held.heartbeat();
        if (entry != null) {
            timerQueue.set(entry, from.nanos() + time.jittered(delay, SPREAD).toNanos());
        }
    }

    /** One run's part of a call. */
    private static final class Heartbeat {
        private final HeldRun held;
        private final WorkReport.Words words;

        Heartbeat(HeldRun held) {
            this.held = held;
            held.calm();
            this.words = held.report().next();
        }

        HeartbeatRequest request() {
            return held.beatRequest(words);
        }
    }
}
