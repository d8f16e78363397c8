package io.interlock.store.sql;

import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.spi.TokenLayout;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.LeaseRules;
import java.sql.ResultSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leases as a whole: lists, and what a sweep does about them. A sweep looks at a page of keys, at more while it finds something
 * to do, and goes on where the last one ended, so that its cost does not grow with the number of keys. Safe for use by many threads.
 */
final class LeaseTable {

    private static final Logger log = LoggerFactory.getLogger(LeaseTable.class);

    /** How long the row of a free key is kept after its last use. */
    private static final long IDLE_MICROS = 60_000_000;

    private static final int PAGE = 1000;
    private static final int MOST_PAGES = 20;

    private static final String FIND = "SELECT " + KeyRow.COLUMNS + KeyRow.FROM_KEYS + " WHERE l.lease_id IS NOT NULL";
    private static final String LIST =
            "SELECT " + KeyRow.COLUMNS + " FROM ${t:lease} AS l WHERE l.lease_id IS NOT NULL AND l.expires_at > ? ";
    // Of a page of keys, those that may have to be cleared or forgotten, and the last key of the page.
    private static final String OVER_AFTER = "SELECT " + KeyRow.COLUMNS
            + " FROM (SELECT p.* FROM ${t:lease} AS p WHERE %s ORDER BY p.tenant, p.name LIMIT " + PAGE + ") AS l"
            + " WHERE (l.lease_id IS NOT NULL AND l.expires_at <= ?) OR (l.lease_id IS NULL AND l.used_at <= ?)";
    private static final String END_AFTER = "SELECT p.tenant, p.name FROM ${t:lease} AS p WHERE %s"
            + " ORDER BY p.tenant, p.name LIMIT 1 OFFSET " + (PAGE - 1);
    private static final String RAISE_FLOOR = "UPDATE ${t:store} SET token_floor = ? WHERE token_floor < ?";
    private static final String IDLE = """
            l.lease_id IS NULL AND l.queued = 0 AND l.reserved_for IS NULL AND l.resource_kind IS NULL AND l.used_at <= ?
              AND l.token < ?""";
    private static final String LOCK_IDLE = "SELECT l.tenant, l.name, l.token" + KeyRow.FROM_KEYS + " WHERE " + IDLE
            + " ORDER BY l.tenant, l.name ${skip:l}";
    private static final String GREATEST = "SELECT max(l.token) FROM ${t:lease} AS l";
    private static final String BUMP = "UPDATE ${t:store} SET epoch = ?, quiet_until = ?";
    private static final String NOT_PLAIN = "UPDATE ${t:lease} SET plain = 0 WHERE plain = 1";
    private static final String WAITING =
            "SELECT q.tenant FROM ${t:open_run} AS q WHERE q.busy = 0 AND q.due_at IS NOT NULL LIMIT 1";

    /** How often the time is noted while no caller waits, in microseconds: an idle store seldom writes. */
    private static final long NOTED_EVERY = 60_000_000;

    private final Database database;
    private final KeySteps steps;
    private @Nullable LockKey sweptTo;

    LeaseTable(Database database, KeySteps steps) {
        this.database = database;
        this.steps = steps;
    }

    List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        if (keys.isEmpty()) {
            return List.of();
        }
        return database.peek(transaction -> {
            Trip trip = transaction.trip();
            Trip.Answer<List<KeyRow>> found = trip.list(FIND, KeyRow::read, Rows.ofKeys(keys));
            Trip.Answer<StoreRow> store = StoreRow.ask(trip);
            trip.run();
            Map<LockKey, KeyRow> byKey = new HashMap<>();
            found.get().forEach(row -> byKey.put(row.key(), row));
            return keys.stream()
                    .map(key -> Optional.ofNullable(byKey.get(key))
                            .map(row -> row.record(store.get().now())))
                    .toList();
        });
    }

    LeasePage list(LeaseQuery query) {
        LockKey after = query.after();
        String tenant = query.tenant();
        if (tenant != null && after != null && after.tenant().compareTo(tenant) > 0) {
            return LeasePage.of(List.of(), query.limit());
        }
        return database.peek(transaction -> {
            long now = StoreRow.read(transaction).now();
            String prefix = query.namePrefix();
            String from = after == null ? "" : after.name();
            Filter filter = new Filter(LIST, now);
            if (tenant == null) {
                String first = after == null ? "" : after.tenant();
                filter.and("AND " + transaction.dialect().isBehind("l"), first, from, first)
                        .andBehind("l.name", "", prefix);
            } else {
                boolean within = after != null && after.tenant().equals(tenant);
                filter.and("AND l.tenant = ?", tenant).andBehind("l.name", within ? from : "", prefix);
            }
            List<KeyRow> found = filter.and(
                            "ORDER BY " + (tenant == null ? "l.tenant, l.name" : "l.name") + " LIMIT ?",
                            query.limit() + 1)
                    .list(transaction, KeyRow::read);
            return LeasePage.of(found.stream().map(row -> row.record(now)).toList(), query.limit());
        });
    }

    /** Clears leases that ended by themselves, and forgets keys without lease or runs; a few pages of keys at a time. */
    List<LeaseRecord> sweep(int limit) {
        noteTime();
        List<LeaseRecord> cleared = new ArrayList<>();
        boolean more = true;
        for (int i = 0; i < MOST_PAGES && more && cleared.size() < limit; i++) {
            long now = database.peek(StoreRow::read).now();
            List<KeyRow> over = nextPage(now);
            List<LeaseRecord> some = clear(over, now, limit - cleared.size());
            cleared.addAll(some);
            more = (forget(over, now) || !some.isEmpty()) && !isAtTheEnd();
        }
        return cleared;
    }

    private synchronized boolean isAtTheEnd() {
        return sweptTo == null;
    }

    private synchronized List<KeyRow> nextPage(long now) {
        LockKey after = sweptTo;
        String tenant = after == null ? "" : after.tenant();
        String name = after == null ? "" : after.name();
        return database.peek(transaction -> {
            String behind = transaction.dialect().isBehind("p");
            Trip trip = transaction.trip();
            Trip.Answer<List<KeyRow>> over = trip.list(
                    String.format(OVER_AFTER, behind), KeyRow::read, tenant, name, tenant, now, now - IDLE_MICROS);
            Trip.Answer<Optional<LockKey>> end =
                    trip.query(String.format(END_AFTER, behind), Trip.first(DueKeys::key), tenant, name, tenant);
            trip.run();
            sweptTo = end.get().orElse(null);
            return over.get();
        });
    }

    private List<LeaseRecord> clear(List<KeyRow> page, long now, int limit) {
        List<LockKey> over = page.stream()
                .filter(row -> isOver(row, now))
                .map(KeyRow::key)
                .filter(key -> !steps.isUnreadable(key))
                .limit(limit)
                .toList();
        return steps.eachReadable(over, this::clear).stream()
                .flatMap(List::stream)
                .toList();
    }

    private List<LeaseRecord> clear(List<LockKey> over) {
        return steps.lockFirst(over, (step, keys) -> {
            List<LeaseRecord> cleared = new ArrayList<>();
            for (Step.LoadedKey key : step.keys()) {
                LeaseRules.clear(key.state()).ifPresent(cleared::add);
            }
            return cleared;
        });
    }

    private static boolean isOver(KeyRow row, long now) {
        LeaseRow lease = row.lease();
        return lease != null && Micros.of(lease.opensAt()) <= now && !lease.awaitsProbe();
    }

    // The floor is raised in the step that forgets: a key that is made again has greater tokens than it had before.
    private boolean forget(List<KeyRow> page, long now) {
        Rows idle = new Rows();
        List<LockKey> keys = new ArrayList<>();
        for (KeyRow row : page) {
            if (row.lease() == null
                    && row.queue().size() == 0
                    && row.reservation() == null
                    && row.resource() == null
                    && row.usedAt() <= now - IDLE_MICROS) {
                idle.add(row.key().tenant(), row.key().name());
                keys.add(row.key());
            }
        }
        if (idle.isEmpty()) {
            return false;
        }
        database.write(Database.Lane.STEPS, transaction -> {
            Trip trip = transaction.trip();
            transaction.dialect().latchShared(trip);
            Trip.Answer<StoreRow> store = StoreRow.ask(trip);
            trip.run();
            long tokens = TokenLayout.byClock(
                    store.get().epoch(), Micros.moment(store.get().now()));
            Rows locked = new Rows();
            long[] greatest = new long[1];
            transaction.query(
                    LOCK_IDLE,
                    Trip.forEach(row -> {
                        locked.add(row.getString(1), row.getString(2));
                        greatest[0] = Math.max(greatest[0], row.getLong(3));
                    }),
                    idle,
                    store.get().now() - IDLE_MICROS,
                    tokens);
            if (!locked.isEmpty()) {
                Trip last = transaction.trip();
                last.update(RAISE_FLOOR, greatest[0], greatest[0]);
                last.update(transaction.dialect().delete("lease", "tenant text, name text"), locked);
                transaction.commit(last);
            }
            return true;
        });
        steps.forget(keys);
        return true;
    }

    Instant bumpEpoch(String reason) {
        long quietUntil = database.write(Database.Lane.STEPS, transaction -> {
            StoreRow store = PauseSteps.alone(transaction);
            long greatest = transaction.query(GREATEST, Trip.NUMBER);
            int epoch = TokenLayout.epochAfter(database.store(), store.epoch(), Math.max(greatest, store.tokenFloor()));
            long until = store.now() + store.maxLease();
            Trip last = transaction.trip();
            last.update(BUMP, epoch, until);
            last.update(NOT_PLAIN);
            transaction.commit(last);
            return until;
        });
        log.warn(
                "store {}: a new epoch begins, nothing is granted before {}: {}",
                database.store(),
                Micros.moment(quietUntil),
                reason);
        return Micros.moment(quietUntil);
    }

    /** Notes the time: waiting callers could have reported since the last sweep, and time goes on if the clock was set back. */
    void noteTime() {
        String goOn = database.dialect().goOn();
        Runnable note = database.peek(transaction -> {
            Trip trip = transaction.trip();
            Trip.Answer<StoreRow> store = StoreRow.ask(trip);
            Trip.Answer<Boolean> waiting = trip.query(WAITING, ResultSet::next);
            trip.run();
            long since = store.get().now() - store.get().lastHeard();
            // Where the clock cannot be set back, only waiting callers matter.
            long often = waiting.get() ? Step.HEARD_EVERY : goOn == null ? Long.MAX_VALUE : NOTED_EVERY;
            if (since > often) {
                return this::noteHeard;
            }
            // Time stands still, or was noted this very moment.
            return since == 0 && goOn != null ? () -> goOn(goOn) : () -> {};
        });
        note.run();
    }

    private void noteHeard() {
        database.write(Database.Lane.STEPS, transaction -> {
            StoreRow row = StoreRow.read(transaction);
            boolean gap = row.now() - row.lastHeard() > Micros.of(Waiter.STALE_AFTER);
            return transaction.commit(StepWriter.HEARD, row.now(), gap ? row.now() : row.heardSince());
        });
    }

    // In one trip: if this process stopped between reading the clock and the commit, time would make up for that, and
    // leases that were granted meanwhile would end early.
    private void goOn(String goOn) {
        int wentOn = database.write(Database.Lane.STEPS, transaction -> transaction.commit(goOn));
        if (wentOn > 0) {
            log.warn(
                    "store {}: its clock was set back; the time of the store goes on from where it was, ahead of that clock",
                    database.store());
        }
    }
}
