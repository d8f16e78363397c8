package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.rules.Settlement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Settles keys on which time alone has changed something: leases that ended, waits that took too long, pauses that are over,
 * places under a tenant's limit. It finds them by index, takes a bounded page at a time, and never waits for a key that another
 * step has. Safe for use by many threads.
 */
final class DueKeys {

    /** How many keys one step settles. */
    static final int PAGE = 100;

    private static final String BUSY = """
            SELECT q.tenant, q.name, q.due_at FROM ${t:open_run} AS q WHERE q.busy = 1 AND q.due_at IS NOT NULL
             ORDER BY q.due_at LIMIT ?""";
    private static final String QUEUES = """
            SELECT l.tenant, l.name, l.due_at FROM ${t:lease} AS l WHERE l.due_at IS NOT NULL ORDER BY l.due_at LIMIT ?""";
    private static final String PAUSES =
            "SELECT min(CASE WHEN p.resumed = 1 THEN 0 ELSE p.until END) FROM ${t:pause} AS p";
    private static final String BLOCKED_TENANTS = """
            SELECT DISTINCT l.tenant FROM ${t:lease} AS l WHERE l.blocked_number IS NOT NULL AND l.tenant > ?
             ORDER BY l.tenant LIMIT ?""";
    private final Database database;
    private final KeySteps steps;
    private final TenantPages tenantsWithWaits = new TenantPages(BLOCKED_TENANTS, 100);

    DueKeys(Database database, KeySteps steps) {
        this.database = database;
        this.steps = steps;
    }

    /** A key on which time changes something, and when. */
    private record Due(LockKey key, long at) {

        static Due read(ResultSet row) throws SQLException {
            return new Due(DueKeys.key(row), row.getLong(3));
        }
    }

    /** Asks in a trip whether time has changed anything by a moment. */
    LongPredicate isAnyDue(Trip trip) {
        Supplier<List<Due>> next = next(trip, 1);
        Trip.Answer<Optional<Long>> pause = trip.query(PAUSES, Trip.first(row -> {
            Long end = KeyRow.number(row, 1);
            return end == null ? Long.MAX_VALUE : end;
        }));
        return now -> pause.get().filter(end -> end <= now).isPresent()
                || next.get().stream().anyMatch(due -> due.at() <= now);
    }

    /** Asks in a trip for the next {@code limit} keys with a run under way and those with a queue, as far as they can be read. */
    private Supplier<List<Due>> next(Trip trip, int limit) {
        int most = limit + steps.unreadableKeys();
        Trip.Answer<List<Due>> busy = trip.list(BUSY, Due::read, most);
        Trip.Answer<List<Due>> queues = trip.list(QUEUES, Due::read, most);
        return () -> Stream.of(busy, queues)
                .flatMap(found -> found.get().stream()
                        .filter(due -> !steps.isUnreadable(due.key()))
                        .limit(limit))
                .toList();
    }

    List<SweepAction> settle(int limit) {
        List<SweepAction> actions = new ArrayList<>();
        Set<LockKey> looked = new LinkedHashSet<>();
        int settled = 0;
        boolean progress = true;
        while (settled < limit && looked.size() < limit * 10) {
            List<LockKey> due = due(Math.min(PAGE, limit - settled));
            boolean isNew = looked.addAll(due);
            // What was settled may be due again at once: a caller that missed its offer may be gone, too.
            if (due.isEmpty() || !(isNew || progress)) {
                break;
            }
            List<SweepAction> here = settle(due);
            progress = !here.isEmpty();
            settled += (int) here.stream().map(SweepAction::key).distinct().count();
            actions.addAll(here);
        }
        return actions;
    }

    /** Settles these keys, except those that another step has. A row that cannot be read keeps no other key from its turn. */
    List<SweepAction> settle(List<LockKey> keys) {
        return steps.eachReadable(keys, this::settleAll).stream()
                .flatMap(List::stream)
                .toList();
    }

    private List<SweepAction> settleAll(List<LockKey> keys) {
        return steps.lockFirst(keys, (step, wanted) -> {
            List<SweepAction> done = new ArrayList<>();
            for (Step.LoadedKey key : step.keys()) {
                done.addAll(Settlement.settle(key.state()));
            }
            return done;
        });
    }

    /**
     * Lets runs have the places that are free under the limits of tenants, in the order of {@code QueueRules.ORDER}. Of each tenant it
     * tries up to {@code limit} keys, and goes past a number of others that cannot be read.
     */
    void fillPlaces(Collection<String> tenants, int limit) {
        for (String tenant : tenants) {
            Set<LockKey> looked = new HashSet<>();
            int tried = 0;
            while (tried < limit && looked.size() < limit + PAGE) {
                LockKey next = firstWaiting(tenant, looked).orElse(null);
                if (next == null) {
                    break;
                }
                looked.add(next);
                tried += steps.alone(next, this::settleAll).isPresent() ? 1 : 0;
            }
        }
    }

    /** The first readable key of a tenant that waits only for a place, without some. */
    private Optional<LockKey> firstWaiting(String tenant, Set<LockKey> without) {
        int most = without.size() + steps.unreadableKeys() + 1;
        return database.peek(transaction -> TenantPlaces.waiting(transaction, tenant, most)).stream()
                .filter(key -> !without.contains(key) && !steps.isUnreadable(key))
                .findFirst();
    }

    /**
     * Tenants with a place for a run that waits for one. Of those that have such runs it looks at so many at a time, and the next time
     * at others, if there are more.
     */
    List<String> tenantsWithPlaces() {
        return database.peek(transaction -> TenantPlaces.withPlaces(transaction, tenantsWithWaits.next(transaction)));
    }

    private List<LockKey> due(int limit) {
        return database.peek(transaction -> {
            Trip trip = transaction.trip();
            Trip.Answer<StoreRow> store = StoreRow.ask(trip);
            Supplier<List<Due>> next = next(trip, limit);
            trip.run();
            long now = store.get().now();
            return next.get().stream()
                    .filter(due -> due.at() <= now)
                    .map(Due::key)
                    .distinct()
                    .toList();
        });
    }

    static LockKey key(ResultSet row) throws SQLException {
        return LockKey.of(row.getString(1), row.getString(2));
    }
}
