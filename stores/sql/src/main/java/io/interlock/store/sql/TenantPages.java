package io.interlock.store.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Tenants, so many at a time, and the next time others if there are more. Safe for use by many threads. */
final class TenantPages {

    private final String sql;
    private final int most;
    private volatile String last = "";

    /** Pages of tenants that {@code sql} finds in their order; its parameters are the tenant before them, and how many. */
    TenantPages(String sql, int most) {
        this.sql = sql;
        this.most = most;
    }

    List<String> next(Transaction transaction) throws SQLException {
        String before = last;
        List<String> found = new ArrayList<>(transaction.list(sql, Trip.TEXT, before, most));
        if (found.size() < most && !before.isEmpty()) {
            transaction.list(sql, Trip.TEXT, "", most - found.size()).stream()
                    .filter(tenant -> !found.contains(tenant))
                    .forEach(found::add);
        }
        last = found.size() < most ? "" : found.get(found.size() - 1);
        return List.copyOf(found);
    }
}
