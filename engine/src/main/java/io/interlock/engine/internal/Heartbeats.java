package io.interlock.engine.internal;

import io.interlock.LossCause;
import io.interlock.StoreUnavailableException;
import io.interlock.run.BeatAnswer;
import io.interlock.spi.Answers;
import io.interlock.spi.run.BeatRequest;
import io.interlock.time.Agenda;
import io.interlock.time.LocalTime;
import io.interlock.time.Moment;
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
final class Heartbeats {

    private static final Logger log = LoggerFactory.getLogger(Heartbeats.class);
    private static final int MAX_RUNS = 500;
    private static final double SPREAD = 0.1;
    private static final int SEARCH_PART = 10;
    private static final Duration SOON = Duration.ofMillis(100);
    private static final Duration AT_LEISURE = Duration.ofSeconds(1);
    private static final long LAST_ANSWERS_SECONDS = 2;

    private final Workshop shop;
    private final LocalTime time;
    private final Timers timers;
    private final Agenda<HeldRun> agenda;

    /** Read by those under way; whoever has the last word, writes. */
    private final ReentrantReadWriteLock underWay = new ReentrantReadWriteLock();

    Heartbeats(Workshop shop, Timers timers) {
        this.shop = shop;
        this.time = shop.time();
        this.timers = timers;
        this.agenda = new Agenda<>(timers, shop.settings().environment().ticker(), this::beatDue);
    }

    /** An entry for {@code held}; up to a quarter early, so that runs fall into step and share calls. */
    Agenda.Entry<HeldRun> entry(HeldRun held) {
        return agenda.entry(held, held.beatEvery().dividedBy(4));
    }

    /** Begins to send heartbeats for {@code held}. */
    void keep(HeldRun held) {
        schedule(held, held.confirmed(), held.beatEvery());
    }

    void forget(HeldRun held) {
        Agenda.Entry<HeldRun> entry = held.beat();
        if (entry != null) {
            agenda.strike(entry);
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
        Agenda.Entry<HeldRun> entry = held.beat();
        if (entry != null) {
            agenda.advance(entry, time.now().nanos() + AT_LEISURE.toNanos());
        }
    }

    /** Sends them all, on its thread, now: after a sleep of the machine, the planned time is too late. */
    void allSoon() {
        timers.after(Duration.ZERO, agenda::all);
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
                beat(due.subList(from, Math.min(due.size(), from + MAX_RUNS)), time.now());
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

    private void beat(List<HeldRun> due, Moment begun) {
        List<Beat> beats =
                due.stream().filter(held -> held.lost() == null).map(Beat::new).toList();
        if (beats.isEmpty()) {
            return;
        }
        if (beats.size() == 1) {
            // There is no call to share, and one that hangs must not hold up those that are due meanwhile.
            apart(beats.get(0));
            return;
        }
        Moment before = time.now();
        try {
            Answers<BeatAnswer> answers =
                    shop.source().steps().beat(beats.stream().map(Beat::request).toList());
            List<Beat> open = new ArrayList<>();
            for (int i = 0; i < beats.size(); i++) {
                if (answers.isOpen(i)) {
                    open.add(beats.get(i));
                } else {
                    hear(beats.get(i), answers.get(i), before);
                }
            }
            open.forEach(beat -> apart(beat));
        } catch (StoreUnavailableException unavailable) {
            if (isQuick(begun, beats)) {
                // The store is there, so perhaps it is one of them that it cannot renew.
                int half = due.size() / 2;
                beat(due.subList(0, half), begun);
                beat(due.subList(half, due.size()), begun);
                return;
            }
            beats.forEach(beat -> retry(beat.held));
            shop.aside()
                    .write(() ->
                            log.warn("{} heartbeats failed, trying again: {}", beats.size(), unavailable.getMessage()));
        } catch (RuntimeException | Error failure) {
            beats.forEach(this::apart);
            shop.aside()
                    .write(() -> log.warn("{} heartbeats failed together, trying each alone", beats.size(), failure));
        }
    }

    // All of it counts, from the first call on: while we search, leases run out.
    private boolean isQuick(Moment begun, List<Beat> beats) {
        long shortest = beats.stream()
                .mapToLong(beat -> beat.held.beatEvery().toNanos())
                .min()
                .orElseThrow();
        return time.elapsed(begun) < shortest / SEARCH_PART;
    }

    // A key that somebody else is changing may keep us waiting; the other runs must not wait with it.
    private void apart(Beat beat) {
        try {
            shop.threads().beats().execute(() -> beforeTheEnd(() -> alone(beat)));
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            alone(beat);
        }
    }

    private void alone(Beat beat) {
        Moment before = time.now();
        try {
            hear(beat, shop.source().steps().beat(List.of(beat.request())).only(), before);
        } catch (RuntimeException | Error failure) {
            retry(beat.held);
            shop.aside()
                    .write(() -> log.warn(
                            "the heartbeat of run {} failed, trying again: {}",
                            beat.held.run().id(),
                            failure.toString()));
        }
    }

    private void hear(Beat beat, BeatAnswer answer, Moment before) {
        HeldRun held = beat.held;
        if (answer instanceof BeatAnswer.Beating beating) {
            held.confirm(before);
            boolean more = held.report().told(beat.words);
            schedule(held, before, held.beatEvery());
            if (more || held.isHurried()) {
                hurry(held);
            } else if (held.report().hasProgress()) {
                atLeisure(held);
            }
            beating.stopRequest().ifPresent(stop -> shop.works().stop(held, stop));
        } else if (answer instanceof BeatAnswer.Lost lost) {
            if (lost.cause() == LossCause.OVERDUE) {
                // Its lease lives on until it ends, so that the work can stop and say so.
                forget(held);
                shop.works().overdue(held);
            } else {
                shop.works().lose(held, lost.cause());
            }
        }
    }

    // A moment later, so that what is said in one breath is told in one call.
    private void hurry(HeldRun held) {
        Agenda.Entry<HeldRun> entry = held.beat();
        if (entry != null) {
            agenda.set(entry, time.now().nanos() + SOON.toNanos());
        }
    }

    private void retry(HeldRun held) {
        schedule(held, time.now(), held.beatEvery().dividedBy(4));
    }

    // An entry struck off by the end or by loss stays off, whichever answer arrives late.
    private void schedule(HeldRun held, Moment from, Duration delay) {
        Agenda.Entry<HeldRun> entry = held.beat();
        if (entry != null) {
            agenda.set(entry, from.nanos() + time.jittered(delay, SPREAD).toNanos());
        }
    }

    /** One run's part of a call. */
    private static final class Beat {
        private final HeldRun held;
        private final WorkReport.Words words;

        Beat(HeldRun held) {
            this.held = held;
            held.calm();
            this.words = held.report().next();
        }

        BeatRequest request() {
            return held.beatRequest(words);
        }
    }
}
