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
    // An offer to a caller keeps its place.
    private static final String BUSY_OF =
            "((SELECT count(*) FROM ${t:open_run} AS q WHERE q.tenant = %1$s AND q.busy = 1)"
                    + " + (SELECT count(*) FROM ${t:lease} AS o ${index:lease_offer}"
                    + " WHERE o.tenant = %1$s AND o.reserved_until IS NOT NULL))";
    private static final String BUSY =
            "SELECT k.tenant, " + BUSY_OF.formatted("k.tenant") + " FROM ${rows:k(tenant text)}";
    private static final String WITH_PLACES = "SELECT k.tenant FROM ${rows:k(tenant text)} WHERE "
            + BUSY_OF.formatted("k.tenant") + " < (SELECT max(l.blocked_below) FROM ${t:lease} AS l"
            + " WHERE l.tenant = k.tenant AND l.blocked_place IS NOT NULL AND l.blocked_number IS NOT NULL)";
    private static final String WAITS = """
            SELECT l.name, l.blocked_place, l.blocked_number FROM ${t:lease} AS l
             WHERE l.tenant = ? AND l.blocked_place IS NOT NULL AND l.blocked_number IS NOT NULL AND l.blocked_below >""";
    private static final String IN_ORDER = "ORDER BY l.blocked_place, l.blocked_number LIMIT ?";

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
        Rows wanted = Rows.ofTexts(tenants);
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

    /** Those of some tenants that have a place for a run that waits for one. */
    static List<String> withPlaces(Transaction transaction, List<String> tenants) throws SQLException {
        return tenants.isEmpty() ? List.of() : transaction.list(WITH_PLACES, Trip.TEXT, Rows.ofTexts(tenants));
    }

    @Override
    public @Nullable Rival firstRival(int busyNow) {
        try {
            return waiting(
                            step.transaction(),
                            key.tenant(),
                            step.keys().size() + step.runs().leftOut() + 1,
                            "?",
                            busyNow)
                    .stream()
                    // Keys of this step are decided by it. What cannot be read cannot start.
                    .filter(other ->
                            step.key(other.key()) == null && !step.runs().isLeftOut(other.key()))
                    .findFirst()
                    .map(Waiting::first)
                    .orElse(null);
        } catch (SQLException failure) {
            throw new WaitingRuns.StepFailure(failure);
        }
    }

    /** The keys of a tenant that wait only for a place, the first {@code most} of them, in their order. */
    static List<LockKey> waiting(Transaction transaction, String tenant, int most) throws SQLException {
        return waiting(transaction, tenant, most, BUSY_OF.formatted("?"), tenant, tenant).stream()
                .map(Waiting::key)
                .toList();
    }

    /** A key whose first run waits only for a place. */
    private record Waiting(LockKey key, Rival first) {}

    private static List<Waiting> waiting(
            Transaction transaction, String tenant, int most, String busy, Object... ofBusy) throws SQLException {
        return new Filter(WAITS, tenant)
                .and(busy, ofBusy)
                .and(IN_ORDER, most)
                .list(
                        transaction,
                        row -> new Waiting(
                                LockKey.of(tenant, row.getString(1)), new Rival(row.getLong(2), row.getLong(3))));
    }
}
