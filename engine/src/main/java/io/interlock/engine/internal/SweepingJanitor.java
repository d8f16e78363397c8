package io.interlock.engine.internal;

import io.interlock.DurationText;
import io.interlock.RunState;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.Janitor;
import io.interlock.engine.SweepRound;
import io.interlock.run.SweepAction;
import io.interlock.time.LocalTime;
import io.interlock.time.Moment;
import io.interlock.time.Timers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes its round from time to time. If a round comes much later than planned, this process was held up, and so may others on
 * this machine have been: it calls nobody dead then, but waits for the next round, in which they can show that they live.
 */
final class SweepingJanitor implements Janitor {

    private static final Logger log = LoggerFactory.getLogger(SweepingJanitor.class);
    private static final double SPREAD = 0.2;

    private final House house;
    private final Timers timers;
    private final List<Sweep> sweeps;
    private volatile @Nullable List<SweepRound> last;

    SweepingJanitor(House house, Timers timers, List<Sweep> sweeps) {
        this.house = house;
        this.timers = timers;
        this.sweeps = List.copyOf(sweeps);
    }

    void start() {
        Duration pause = house.time().jittered(house.settings().sweepEvery(), SPREAD);
        Moment planned = house.time().now();
        timers.after(pause, () -> {
            try {
                round(Duration.ofNanos(house.time().elapsed(planned)).minus(pause));
            } finally {
                start();
            }
        });
    }

    @Override
    public List<SweepRound> runOnce() {
        return done(sweeps.stream().map(this::sweep).toList());
    }

    @Override
    public Optional<List<SweepRound>> lastRound() {
        return Optional.ofNullable(last);
    }

    private void round(Duration late) {
        Duration tolerated = LocalTime.capped(house.settings().sweepEvery());
        if (late.compareTo(tolerated) <= 0) {
            runOnce();
            return;
        }
        String why = "this round came " + DurationText.format(late)
                + " later than planned, so this process was held up; the next round judges";
        log.warn("the janitor does nothing: {}", why);
        done(sweeps.stream()
                .map(sweep -> new SweepRound(sweep.name(), now(), List.of(), why))
                .toList());
    }

    private SweepRound sweep(Sweep sweep) {
        try {
            List<SweepAction> actions = sweep.runOnce();
            actions.forEach(action -> report(sweep, action));
            return new SweepRound(sweep.name(), now(), actions, null);
        } catch (RuntimeException failure) {
            log.warn("the sweep of {} failed, the next one will be tried: {}", sweep.name(), failure.toString());
            return new SweepRound(sweep.name(), now(), List.of(), "failed: " + failure.getMessage());
        }
    }

    private void report(Sweep sweep, SweepAction action) {
        log.info("{}: {}{}", action.key(), action.run() == null ? "" : "run " + action.run() + ": ", action.why());
        house.events().tell(new EngineEvent.Swept(action, sweep.name()));
        if (action.state() == RunState.PENDING) {
            house.workers().wake();
        }
    }

    private List<SweepRound> done(List<SweepRound> rounds) {
        last = rounds;
        return rounds;
    }

    private Instant now() {
        return house.settings().environment().clock().instant();
    }
}
