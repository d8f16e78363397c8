package io.interlock.engine.internal.sweep;

import io.interlock.DurationText;
import io.interlock.RunState;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.Janitor;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.runtime.EngineTimers;
import io.interlock.run.SweepAction;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes its round from time to time. If a round comes much later than planned, this process was held up, and so may others on
 * this machine have been: it declares no run lost then, but waits for the next round, before which their heartbeats can arrive.
 */
public final class SweepingJanitor implements Janitor {

    private static final Logger log = LoggerFactory.getLogger(SweepingJanitor.class);
    private static final double SPREAD = 0.2;

    /** One of the janitor's duties. */
    public interface Sweep {

        /** What people call it. */
        String name();

        /** Does it once. Returns what was done, and why. */
        List<SweepAction> runOnce();
    }

    private final EngineTimers clocks;
    private final Duration every;
    private final EngineEvents events;
    private final Timers rounds;
    private final List<Sweep> sweeps;
    private volatile @Nullable List<Janitor.Round> last;
    private volatile @Nullable Instant next;

    public SweepingJanitor(EngineTimers clocks, Duration every, EngineEvents events, List<Sweep> sweeps) {
        this.clocks = clocks;
        this.every = every;
        this.events = events;
        this.rounds = clocks.environment().timers("interlock-janitor");
        this.sweeps = List.copyOf(sweeps);
    }

    public void start() {
        Duration pause = clocks.time().jittered(every, SPREAD);
        Moment planned = clocks.time().now();
        next = now().plus(pause);
        rounds.after(pause, () -> {
            try {
                round(Duration.ofNanos(clocks.time().elapsed(planned)).minus(pause));
            } finally {
                start();
            }
        });
    }

    /** Makes no round any more. */
    public void close() {
        rounds.close();
        next = null;
    }

    @Override
    public List<Janitor.Round> runOnce() {
        return done(sweeps.stream().map(this::sweep).toList());
    }

    @Override
    public Optional<List<Janitor.Round>> lastRound() {
        return Optional.ofNullable(last);
    }

    @Override
    public Optional<Janitor.Plan> plan() {
        return Optional.ofNullable(next).map(time -> new Janitor.Plan(time, every));
    }

    private void round(Duration late) {
        Duration tolerated = LocalTime.capped(every);
        if (late.compareTo(tolerated) <= 0) {
            runOnce();
            return;
        }
        String why = "this round came " + DurationText.format(late)
                + " later than planned, so this process was held up; the next round judges";
        log.warn("the janitor skips a round: {}", why);
        done(sweeps.stream()
                .map(sweep -> new Janitor.Round(sweep.name(), now(), List.of(), why))
                .toList());
    }

    private Janitor.Round sweep(Sweep sweep) {
        try {
            List<SweepAction> actions = sweep.runOnce();
            actions.forEach(action -> report(sweep, action));
            return new Janitor.Round(sweep.name(), now(), actions, null);
        } catch (RuntimeException failure) {
            log.warn("the sweep of {} failed; retrying in the next round: {}", sweep.name(), failure.toString());
            return new Janitor.Round(sweep.name(), now(), List.of(), "failed: " + failure.getMessage());
        }
    }

    private void report(Sweep sweep, SweepAction action) {
        log.info("{}: {}{}", action.key(), action.run() == null ? "" : "run " + action.run() + ": ", action.why());
        events.tell(new EngineEvent.Swept(action, sweep.name()));
        if (action.state() == RunState.PENDING) {
            events.workAppeared();
        }
    }

    private List<Janitor.Round> done(List<Janitor.Round> rounds) {
        last = rounds;
        return rounds;
    }

    private Instant now() {
        return clocks.environment().clock().instant();
    }
}
