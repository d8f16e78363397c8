package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.rules.Settlement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Settles keys on which time alone has changed something: leases that ended, waits that took too long, pauses that are over,
 * places under a tenant's limit. It finds them by index, takes a bounded page at a time, and never waits for a key that another
 * step has. Safe for use by many threads.
 */
final class DueKeys {

    /** How many keys one step settles. */
    static final int PAGE = 100;

    private static final String DUE_BUSY = """
            SELECT q.tenant, q.name FROM ${t:open_run} AS q WHERE q.busy = 1 AND q.due_at <= ? ORDER BY q.due_at LIMIT ?""";
    private static final String DUE_QUEUE =
            "SELECT l.tenant, l.name FROM ${t:lease} AS l WHERE l.due_at <= ? ORDER BY l.due_at LIMIT ?";
    private static final String FIRST_DUE = """
            SELECT (SELECT min(q.due_at) FROM ${t:open_run} AS q WHERE q.busy = 1 AND q.due_at IS NOT NULL),
                   (SELECT min(l.due_at) FROM ${t:lease} AS l WHERE l.due_at IS NOT NULL),
                   (SELECT count(*) FROM ${t:pause} AS p WHERE p.resumed = 1),
                   (SELECT min(p.until) FROM ${t:pause} AS p)""";
    private static final String BLOCKED_TENANTS = """
            SELECT DISTINCT l.tenant FROM ${t:lease} AS l WHERE l.blocked_number IS NOT NULL AND l.tenant > ?
             ORDER BY l.tenant LIMIT ?""";
    private final Database database;
    private final KeySteps steps;
    private final TenantPages outOfPlaces = new TenantPages(BLOCKED_TENANTS, 100);

    DueKeys(Database database, KeySteps steps) {
        this.database = database;
        this.steps = steps;
    }

    /** When time changes something next, as a trip of a read finds it. */
    static Trip.Answer<Long> firstDue(Trip trip) {
        return trip.query(FIRST_DUE, rows -> {
            long first = Long.MAX_VALUE;
            if (rows.next()) {
                for (int column : new int[] {1, 2, 4}) {
                    Long due = KeyRow.number(rows, column);
                    first = due == null ? first : Math.min(first, due);
                }
                first = rows.getLong(3) > 0 ? 0 : first;
            }
            return first;
        });
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

    /** Lets runs have the places that are free under the limits of tenants, the highest priority first. */
    void fillPlaces(Collection<String> tenants, int limit) {
        for (String tenant : tenants) {
            Set<LockKey> tried = new LinkedHashSet<>();
            for (int i = 0; i < limit; i++) {
                List<LockKey> next =
                        database.peek(transaction -> TenantPlaces.waiting(transaction, tenant, tried.size() + 1));
                next = next.stream().filter(key -> !tried.contains(key)).toList();
                if (next.isEmpty()) {
                    break;
                }
                tried.add(next.get(0));
                settle(next.subList(0, 1));
            }
        }
    }

    /** Tenants with runs that wait for a place: so many at a time, and the next time others, if there are more. */
    List<String> tenantsOutOfPlaces() {
        return database.peek(outOfPlaces::next);
    }

    private List<LockKey> due(int limit) {
        return database.peek(transaction -> {
            long now = StoreRow.read(transaction).now();
            Trip trip = transaction.trip();
            Trip.Answer<List<LockKey>> busy = trip.list(DUE_BUSY, DueKeys::key, now, limit);
            Trip.Answer<List<LockKey>> queues = trip.list(DUE_QUEUE, DueKeys::key, now, limit);
            trip.run();
            Set<LockKey> all = new LinkedHashSet<>(busy.get());
            all.addAll(queues.get());
            return List.copyOf(all);
        });
    }

    static LockKey key(ResultSet row) throws SQLException {
        return LockKey.of(row.getString(1), row.getString(2));
    }
}
