package io.interlock.store.sql;

import java.sql.SQLDataException;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The one row of the table {@code store}, whose schema describes the columns: what holds for all keys. Times are {@link Micros}.
 *
 * @param now the store's time, read after the keys of the step were locked
 * @param placesWanted whether the limit of some tenant keeps a run waiting
 */
public record StoreRow(
        long now,
        int epoch,
        long tokenFloor,
        long maxLease,
        long quietUntil,
        long lastHeard,
        long heardSince,
        boolean placesWanted) {

    private static final String PLACES_WANTED =
            "(SELECT count(*) FROM (SELECT 1 FROM ${t:lease} AS b WHERE b.blocked_number IS NOT NULL"
                    + " ORDER BY b.tenant, b.blocked_place, b.blocked_number LIMIT 1) AS w)";

    /** Adds to {@code trip}, which locked before, what reads it. */
    static Trip.Answer<StoreRow> ask(Trip trip) {
        Dialect dialect = trip.dialect();
        String sql =
                "SELECT " + dialect.storeColumns() + ", " + PLACES_WANTED + " AS places_wanted FROM ${t:store} AS s";
        return trip.query(sql, rows -> {
            if (!rows.next()) {
                throw new SQLDataException("the row of the store is missing; open it again");
            }
            return dialect.readStore(rows).placesWanted(rows.getInt("places_wanted") > 0);
        });
    }

    static StoreRow read(Transaction transaction) throws SQLException {
        Trip trip = transaction.trip();
        Trip.Answer<StoreRow> row = ask(trip);
        trip.run();
        return row.get();
    }

    @Nullable
    Instant quietEnd() {
        return quietUntil == 0 ? null : Micros.moment(quietUntil);
    }

    StoreRow placesWanted(boolean wanted) {
        return new StoreRow(now, epoch, tokenFloor, maxLease, quietUntil, lastHeard, heardSince, wanted);
    }
}
