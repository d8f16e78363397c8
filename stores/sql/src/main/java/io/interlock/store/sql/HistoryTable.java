package io.interlock.store.sql;

import io.interlock.run.Retention;
import io.interlock.spi.run.RunHistory;

/**
 * Forgets what is old in all tables, in short transactions that wait for no step on a key. The cost of a call is bounded by
 * its limit and not by how much history there is. Safe for use by many threads.
 */
final class HistoryTable implements RunHistory {

    private final Database database;
    private final OldRuns runs;
    private final OldNotes notes;
    private final SealTable seals;

    HistoryTable(Database database) {
        this.database = database;
        runs = new OldRuns(database);
        notes = new OldNotes(database);
        seals = new SealTable(database);
    }

    @Override
    public Forgotten forget(Retention retention, int limit) {
        long now = database.peek(transaction -> {
            Trip trip = transaction.trip();
            Trip.Answer<StoreRow> store = StoreTable.read(trip, transaction.dialect());
            trip.run();
            return store.get().now();
        });
        int forgotten = runs.forget(now, retention, limit);
        notes.forget(now, retention);
        return new Forgotten(forgotten, seals.forget(now - Micros.of(retention.audit()), limit));
    }
}
