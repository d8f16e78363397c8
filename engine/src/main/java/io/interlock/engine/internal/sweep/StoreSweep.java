package io.interlock.engine.internal.sweep;

import io.interlock.DurationText;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Retention;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.Upkeep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A sweep that the store does page by page, up to a number of pages in a round. */
public record StoreSweep(String name, Supplier<List<SweepAction>> round) implements SweepingJanitor.Sweep {

    private static final int PAGE = 100;
    private static final int HISTORY_PAGE = 500;
    private static final int MAX_PAGES = 20;
    private static final LockKey EVERYWHERE = LockKey.of("interlock", "history");

    /**
     * Settles runs on keys that no step touches: attempts whose lease ran out, runs that count as running and have no lease, waits and
     * rests that are over, offers that no worker took.
     */
    public static StoreSweep runs(Upkeep upkeep) {
        return new StoreSweep("runs", () -> {
            List<SweepAction> all = new ArrayList<>();
            whileThereIsMore(() -> {
                List<SweepAction> done = upkeep.sweepRuns(PAGE);
                all.addAll(done);
                return done.stream().map(SweepAction::key).distinct().count() >= PAGE;
            });
            return all;
        });
    }

    /**
     * Clears leases that ended by themselves. A lease may end after the sweep of runs: then this one settles its run, and
     * says so.
     */
    public static StoreSweep leases(RunStore store) {
        return new StoreSweep("leases", () -> {
            List<SweepAction> all = new ArrayList<>();
            whileThereIsMore(() -> {
                List<LeaseRecord> cleared = store.sweep(PAGE);
                for (LeaseRecord lease : cleared) {
                    endedAttempt(store, lease).ifPresent(all::add);
                    all.add(action(lease));
                }
                return cleared.size() >= PAGE;
            });
            return all;
        });
    }

    /** What the step that cleared {@code lease} did about its run; empty if an earlier step had ended the attempt. */
    private static Optional<SweepAction> endedAttempt(RunStore store, LeaseRecord lease) {
        RunId run = lease.holder().run();
        return run == null
                ? Optional.empty()
                : store.queries().attempts(run).stream()
                        .filter(attempt -> attempt.turn().token().equals(lease.token())
                                && !attempt.endedAt().isBefore(lease.observedAt()))
                        .findFirst()
                        .map(attempt -> new SweepAction(
                                lease.key(),
                                run,
                                attempt.next(),
                                attempt.error() == null ? "" : attempt.error().message()));
    }

    /** Forgets history that is older than it is kept: so much in a round that no store can grow faster for long. */
    public static StoreSweep history(Upkeep upkeep, Retention retention) {
        return new StoreSweep("history", () -> {
            AtomicInteger runs = new AtomicInteger();
            AtomicInteger records = new AtomicInteger();
            whileThereIsMore(() -> {
                Upkeep.Forgotten forgotten = upkeep.forget(retention, HISTORY_PAGE);
                runs.addAndGet(forgotten.runs());
                records.addAndGet(forgotten.auditRecords());
                return Math.max(forgotten.runs(), forgotten.auditRecords()) >= HISTORY_PAGE;
            });
            String why = runs + " runs and " + records + " audit records were kept long enough";
            return runs.get() + records.get() == 0 ? List.of() : List.of(new SweepAction(EVERYWHERE, null, null, why));
        });
    }

    @Override
    public List<SweepAction> runOnce() {
        return round.get();
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
