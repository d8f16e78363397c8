package io.interlock.store.sql;

import java.sql.SQLDataException;

/** The table {@code store}. */
final class StoreTable {

    private static final String PLACES_WANTED =
            "(SELECT count(*) FROM (SELECT 1 FROM ${t:lease} AS b WHERE b.blocked_number IS NOT NULL"
                    + " ORDER BY b.tenant, b.blocked_priority, b.blocked_number LIMIT 1) AS w)";

    private StoreTable() {}

    /** Reads the store's time, and what holds for all keys, in a trip that locked before. */
    static Trip.Answer<StoreRow> read(Trip trip, Dialect dialect) {
        String sql =
                "SELECT " + dialect.storeColumns() + ", " + PLACES_WANTED + " AS places_wanted FROM ${t:store} AS s";
        return trip.query(sql, rows -> {
            if (!rows.next()) {
                throw new SQLDataException("the row of the store is missing; open it again");
            }
            return dialect.readStore(rows).placesWanted(rows.getInt("places_wanted") > 0);
        });
    }
}
