package io.interlock.engine.internal.sweep;

import io.interlock.DurationText;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.Janitor;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.runtime.EngineThreads.EngineTimers;
import io.interlock.run.Retention;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.Upkeep;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
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
        List<SweepAction> actions = new ArrayList<>();
        String skipped = null;
        try {
            sweep.round().accept(actions);
        } catch (RuntimeException failure) {
            log.warn("the sweep of {} failed; retrying in the next round: {}", sweep.name(), failure.toString());
            skipped = actions.isEmpty() ? "failed: " + failure.getMessage() : null;
        }
        actions.forEach(action -> report(sweep, action));
        return new Janitor.Round(sweep.name(), now(), actions, skipped);
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

    /**
     * A sweep that the store does page by page, up to a number of pages in a round.
     *
     * @param round adds what it does to a list, so that nothing done is left untold if the store fails afterwards
     */
    public record Sweep(String name, Consumer<List<SweepAction>> round) {

        private static final int PAGE = 100;
        private static final int HISTORY_PAGE = 500;
        private static final int MAX_PAGES = 20;
        private static final LockKey EVERYWHERE = LockKey.of("interlock", "history");

        /**
         * Settles runs on keys that no step touches: attempts whose lease ran out, runs that count as running and have no lease, waits and
         * rests that are over, offers that no worker took.
         */
        public static Sweep runs(Upkeep upkeep) {
            return new Sweep(
                    "runs",
                    all -> whileThereIsMore(() -> {
                        List<SweepAction> done = upkeep.sweepRuns(PAGE);
                        all.addAll(done);
                        return done.stream().map(SweepAction::key).distinct().count() >= PAGE;
                    }));
        }

        /**
         * Clears leases that ended by themselves. A lease may end after the sweep of runs: then this one settles its run, and says so.
         */
        public static Sweep leases(RunStore store) {
            return new Sweep(
                    "leases",
                    all -> whileThereIsMore(() -> {
                        List<LeaseRecord> cleared = store.sweep(PAGE);
                        for (LeaseRecord lease : cleared) {
                            endedAttempt(store, lease).ifPresent(all::add);
                            all.add(action(lease));
                        }
                        return cleared.size() >= PAGE;
                    }));
        }

        /** What the step that cleared {@code lease} did about its run; empty if an earlier step had ended the attempt, or it is unknown. */
        private static Optional<SweepAction> endedAttempt(RunStore store, LeaseRecord lease) {
            RunId run = lease.holder().run();
            if (run == null) {
                return Optional.empty();
            }
            try {
                return store.queries().attempts(run).stream()
                        .filter(attempt -> attempt.turn().token().equals(lease.token())
                                && !attempt.endedAt().isBefore(lease.observedAt()))
                        .findFirst()
                        .map(attempt -> new SweepAction(
                                lease.key(),
                                run,
                                attempt.next(),
                                attempt.error() == null ? "" : attempt.error().message()));
            } catch (RuntimeException failure) {
                // The other leases that were cleared with it must still be told of.
                log.warn("run {} may have ended with its lease; it could not be read: {}", run, failure.toString());
                return Optional.empty();
            }
        }

        /** Forgets history that is older than it is kept: so much in a round that no store can grow faster for long. */
        public static Sweep history(Upkeep upkeep, Retention retention) {
            return new Sweep("history", all -> {
                AtomicInteger runs = new AtomicInteger();
                AtomicInteger records = new AtomicInteger();
                try {
                    whileThereIsMore(() -> {
                        Upkeep.Forgotten forgotten = upkeep.forget(retention, HISTORY_PAGE);
                        runs.addAndGet(forgotten.runs());
                        records.addAndGet(forgotten.auditRecords());
                        return Math.max(forgotten.runs(), forgotten.auditRecords()) >= HISTORY_PAGE;
                    });
                } finally {
                    String why = runs + " runs and " + records + " audit records were kept long enough";
                    if (runs.get() + records.get() > 0) {
                        all.add(new SweepAction(EVERYWHERE, null, null, why));
                    }
                }
            });
        }

        private static void whileThereIsMore(BooleanSupplier page) {
            int pages = 0;
            while (pages < MAX_PAGES && page.getAsBoolean()) {
                pages++;
            }
        }

        private static SweepAction action(LeaseRecord lease) {
            String why = lease.holder().label() + " had it with token " + lease.token() + " for "
                    + DurationText.format(Duration.between(lease.grantedAt(), lease.expiresAt()))
                    + ", never gave it back, and it ended "
                    + DurationText.format(Duration.between(lease.expiresAt(), lease.observedAt())) + " ago";
            return new SweepAction(lease.key(), lease.holder().run(), null, why);
        }
    }
}
