package io.interlock.store.sql;

import io.interlock.LockKey;
import io.interlock.spi.run.rules.KeyRows.Reservation;
import io.interlock.spi.run.rules.StepContext.TenantSlots;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * How many runs of one tenant are under way, for the steps that a limit concerns. The first question locks all tenants of
 * the step, in their order, so that two steps never give away the same place nor wait for each other. Belongs to one step.
 */
final class TenantPlaces implements TenantSlots {

    private static final String LOCK = "SELECT p.tenant FROM ${rows:k(tenant text)} JOIN ${t:tenant_place} AS p"
            + " ON p.tenant = k.tenant ORDER BY p.tenant ${lock:p}";
    private static final String BUSY = "SELECT k.tenant, (SELECT count(*) FROM ${t:open_run} AS q"
            + " WHERE q.tenant = k.tenant AND q.busy = 1) + (SELECT count(*) FROM ${t:lease} AS o"
            + " WHERE o.tenant = k.tenant AND o.reserved_until IS NOT NULL) FROM ${rows:k(tenant text)}";
    private static final String WAITS = """
            SELECT l.name, l.blocked_place, l.blocked_number FROM ${t:lease} AS l
             WHERE l.tenant = ? AND l.blocked_place IS NOT NULL AND l.blocked_number IS NOT NULL AND l.blocked_below > %s
             ORDER BY l.blocked_place, l.blocked_number LIMIT ?""";
    private static final String BUSY_NOW =
            "(SELECT count(*) FROM ${t:open_run} AS q WHERE q.tenant = ? AND q.busy = 1)";

    private final Step step;
    private final LockKey key;

    /** The places of a tenant, as seen by one of its keys. */
    TenantPlaces(Step step, LockKey key) {
        this.step = step;
        this.key = key;
    }

    @Override
    public int busy() {
        int others = 0;
        for (Step.LoadedKey each : step.keys()) {
            if (each.row().key().tenant().equals(key.tenant())) {
                // An offer to a caller keeps its place; that of this key is not in its own way.
                others -= isOffer(each.row().reservation()) ? 1 : 0;
                if (!each.row().key().equals(key)) {
                    others += each.state().busyChange();
                    others += isOffer(each.state().reservation().orElse(null)) ? 1 : 0;
                }
            }
        }
        return step.busyRuns(key.tenant()) + others;
    }

    private static boolean isOffer(@Nullable Reservation reservation) {
        return reservation != null && reservation.until() != null;
    }

    /** Locks these tenants, and counts the runs of each that are under way. */
    static Map<String, Integer> count(Transaction transaction, SortedSet<String> tenants) throws SQLException {
        Rows wanted = new Rows();
        tenants.forEach(wanted::add);
        Trip trip = transaction.trip();
        if (transaction.writes()) {
            trip.update(transaction.dialect().insertMissing("tenant_place", "tenant text", ""), wanted);
            trip.query(LOCK, ResultSet::next, wanted);
        }
        Map<String, Integer> busy = new HashMap<>();
        trip.query(BUSY, Trip.forEach(row -> busy.put(row.getString(1), row.getInt(2))), wanted);
        trip.run();
        return busy;
    }

    @Override
    public @Nullable Rival firstRival(int busyNow) {
        try {
            return waiting(
                            step.transaction(),
                            key.tenant(),
                            "?",
                            busyNow,
                            step.keys().size() + 1)
                    .stream()
                    // Keys of this step are decided by it.
                    .filter(other -> step.key(other.key()) == null)
                    .findFirst()
                    .map(Waiting::first)
                    .orElse(null);
        } catch (SQLException failure) {
            throw new WaitingRuns.StepFailure(failure);
        }
    }

    /** The keys of a tenant that wait only for a place, the first {@code most} of them, in their order. */
    static List<LockKey> waiting(Transaction transaction, String tenant, int most) throws SQLException {
        return waiting(transaction, tenant, BUSY_NOW, tenant, most).stream()
                .map(Waiting::key)
                .toList();
    }

    /** A key whose first run waits only for a place. */
    private record Waiting(LockKey key, Rival first) {}

    private static List<Waiting> waiting(Transaction transaction, String tenant, String busy, Object ofBusy, int most)
            throws SQLException {
        return transaction.list(
                WAITS.formatted(busy),
                row -> new Waiting(LockKey.of(tenant, row.getString(1)), new Rival(row.getLong(2), row.getLong(3))),
                tenant,
                ofBusy,
                most);
    }
}
