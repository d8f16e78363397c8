package io.interlock.store.sql;

import io.interlock.run.Retention;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.Upkeep;
import io.interlock.time.Environment.Ticker;
import java.util.ArrayList;
import java.util.List;

/**
 * The steps of a sweeper: settles what is due, and forgets what is old in all tables, in short transactions that wait for no
 * step on a key. The cost of a call is bounded by its limit and not by how much history there is. Safe for use by many threads.
 */
final class SqlUpkeep implements Upkeep {

    private final Database database;
    private final LeaseTable leases;
    private final DueKeys due;
    private final PauseSteps pauses;
    private final LostKeys lostKeys;
    private final OldRuns runs;
    private final OldNotes notes;
    private final SealTable seals;

    SqlUpkeep(Database database, LeaseTable leases, DueKeys due, PauseSteps pauses, Ticker ticker) {
        this.database = database;
        this.leases = leases;
        this.due = due;
        this.pauses = pauses;
        lostKeys = new LostKeys(database, due, ticker);
        runs = new OldRuns(database);
        notes = new OldNotes(database);
        seals = new SealTable(database);
    }

    @Override
    public List<SweepAction> sweepRuns(int limit) {
        leases.noteTime();
        lostKeys.repair();
        List<SweepAction> done = new ArrayList<>(due.settle(limit));
        pauses.finishBegun();
        pauses.settleEnded(10);
        due.fillPlaces(due.tenantsOutOfPlaces(), limit);
        return done;
    }

    @Override
    public Forgotten forget(Retention retention, int limit) {
        long now = database.peek(StoreRow::read).now();
        int forgotten = runs.forget(now, retention, limit);
        notes.forget(now, retention);
        return new Forgotten(forgotten, seals.forget(now - Micros.of(retention.audit()), limit));
    }
}
