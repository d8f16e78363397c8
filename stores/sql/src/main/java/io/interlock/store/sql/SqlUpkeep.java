package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.run.Retention;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.Upkeep;
import io.interlock.spi.run.rules.LineRules;
import io.interlock.time.Environment.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The steps of a sweeper: settles what is due, and forgets what is old in all tables, in short transactions that wait for no
 * step on a key. The cost of a call is bounded by its limit and not by how much history there is. Safe for use by many threads.
 */
final class SqlUpkeep implements Upkeep {

    private static final int SHARE_OF_LOOKS = 100;
    private static final long LONGEST_LOOK = TimeUnit.MINUTES.toNanos(5);

    // OFFSET 0 has PostgreSQL look up the row of each key. Without statistics it joins the tables by tenant, and
    // compares each run with all keys: two seconds for 30,000 runs of 2,000 keys.
    private static final String LOST_KEYS = """
            SELECT DISTINCT q.tenant, q.name FROM ${t:open_run} AS q
             WHERE NOT EXISTS (
               SELECT 1 FROM ${t:lease} AS l WHERE l.tenant = q.tenant AND l.name = q.name LIMIT 1 OFFSET 0)
             LIMIT 100""";
    private static final String COUNT_AGAIN = """
            UPDATE ${t:lease} SET due_at = ?,
              queued = (SELECT count(*) FROM ${t:open_run} AS q WHERE q.tenant = ? AND q.busy = 0 AND q.name = ?),
              resting = (SELECT count(*) FROM ${t:open_run} AS q
                          WHERE q.tenant = ? AND q.busy = 0 AND q.name = ? AND q.rank >= %d)
             WHERE tenant = ? AND name = ?""".formatted(LineRules.RESTING);

    private final Database database;
    private final LeaseTable leases;
    private final DueKeys due;
    private final PauseSteps pauses;
    private final Ticker ticker;
    private final AtomicLong nextLook;
    private final OldRuns runs;
    private final OldNotes notes;
    private final SealTable seals;

    SqlUpkeep(Database database, LeaseTable leases, DueKeys due, PauseSteps pauses, Ticker ticker) {
        this.database = database;
        this.leases = leases;
        this.due = due;
        this.pauses = pauses;
        this.ticker = ticker;
        nextLook = new AtomicLong(ticker.nanos());
        runs = new OldRuns(database);
        notes = new OldNotes(database);
        seals = new SealTable(database);
    }

    @Override
    public List<SweepAction> sweepRuns(int limit) {
        leases.noteTime();
        repairLostKeys();
        List<SweepAction> done = new ArrayList<>(due.settle(limit));
        pauses.finishBegun();
        pauses.settleEnded(10);
        due.fillPlaces(due.tenantsWithPlaces(), limit);
        return done;
    }

    @Override
    public Forgotten forget(Retention retention, int limit) {
        long now = database.peek(StoreRow::read).now();
        int forgotten = runs.forget(now, retention, limit);
        notes.forget(now, retention);
        return new Forgotten(forgotten, seals.forget(now - Micros.of(retention.audit()), limit));
    }

    /**
     * Finds keys whose row is gone though runs of theirs are open, and makes the row anew. No step leads there; a table changed by
     * hand does. Only a look at all open runs finds them, so the more there are, the less often it is made: it takes no more than
     * a hundredth of the time.
     */
    private void repairLostKeys() {
        long start = ticker.nanos();
        long at = nextLook.get();
        if (start - at < 0 || !nextLook.compareAndSet(at, start + LONGEST_LOOK)) {
            return;
        }
        try {
            List<LockKey> lost = database.peek(transaction -> transaction.list(LOST_KEYS, DueKeys::key));
            lost.forEach(this::makeRow);
            if (!lost.isEmpty()) {
                due.settle(lost);
            }
        } finally {
            long end = ticker.nanos();
            nextLook.set(end + (end - start) * SHARE_OF_LOOKS);
        }
    }

    private void makeRow(LockKey key) {
        String tenant = key.tenant();
        String name = key.name();
        database.write(Database.Lane.STEPS, transaction -> {
            Trip first = transaction.trip();
            transaction.dialect().latchShared(first);
            Trip.Answer<StoreRow> store = StoreRow.ask(first);
            first.run();
            Trip last = transaction.trip();
            last.update(
                    transaction.dialect().insertMissing("lease", Step.KEY, Step.NEW_KEY),
                    Rows.of(tenant, name, 0, store.get().now()));
            last.update(COUNT_AGAIN, store.get().now(), tenant, name, tenant, name, tenant, name);
            transaction.commit(last);
            return true;
        });
    }
}
