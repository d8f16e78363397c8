package io.interlock.store.postgres;

import io.interlock.Eviction;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The columns of the current row whose names begin with a prefix. Belongs to one thread. */
final class Columns {

    private final ResultSet row;
    private final String prefix;

    Columns(ResultSet row, String prefix) {
        this.row = row;
        this.prefix = prefix;
    }

    @Nullable
    String text(String column) throws SQLException {
        return row.getString(prefix + column);
    }

    String requireText(String column) throws SQLException {
        return require(column, text(column));
    }

    int number(String column) throws SQLException {
        return row.getInt(prefix + column);
    }

    long requireLong(String column) throws SQLException {
        return require(column, longNumber(column));
    }

    @Nullable
    Long longNumber(String column) throws SQLException {
        long value = row.getLong(prefix + column);
        return row.wasNull() ? null : value;
    }

    double fraction(String column) throws SQLException {
        return row.getDouble(prefix + column);
    }

    boolean flag(String column) throws SQLException {
        return row.getBoolean(prefix + column);
    }

    @Nullable
    UUID id(String column) throws SQLException {
        return row.getObject(prefix + column, UUID.class);
    }

    UUID requireId(String column) throws SQLException {
        return require(column, id(column));
    }

    @Nullable
    RunId run(String column) throws SQLException {
        UUID id = id(column);
        return id == null ? null : new RunId(id);
    }

    @Nullable
    Instant instant(String column) throws SQLException {
        OffsetDateTime value = row.getObject(prefix + column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }

    Instant requireInstant(String column) throws SQLException {
        return require(column, instant(column));
    }

    /** A length of time, kept in microseconds. */
    @Nullable
    Duration time(String column) throws SQLException {
        Long micros = longNumber(column);
        return micros == null ? null : Duration.of(micros, ChronoUnit.MICROS);
    }

    Duration requireTime(String column) throws SQLException {
        return require(column, time(column));
    }

    List<String> texts(String column) throws SQLException {
        Array array = row.getArray(prefix + column);
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }

    List<Instant> instants(String column) throws SQLException {
        Array array = row.getArray(prefix + column);
        return array == null
                ? List.of()
                : Stream.of((Timestamp[]) array.getArray())
                        .map(Timestamp::toInstant)
                        .toList();
    }

    /** The key in {@code tenant} and {@code name}, if there is one. */
    @Nullable
    LockKey key() throws SQLException {
        String tenant = text("tenant");
        return tenant == null ? null : new LockKey(tenant, requireText("name"));
    }

    LockKey requireKey() throws SQLException {
        return require("tenant", key());
    }

    /** The lease in the columns of a key's row, as seen at {@code at}, or {@code null} if nobody has the key. */
    @Nullable
    LeaseRecord lease(Instant at) throws SQLException {
        LockKey key = key();
        UUID id = id("lease_id");
        if (key == null || id == null) {
            return null;
        }
        Instant evictedAt = instant("evicted_at");
        return new LeaseRecord(
                key,
                new LeaseId(id),
                new Holder(requireText("instance"), requireText("label"), run("run_id")),
                new FencingToken(requireLong("token")),
                requireInstant("granted_at"),
                requireInstant("expires_at"),
                at,
                evictedAt == null
                        ? null
                        : new Eviction(requireText("evicted_by"), requireText("evict_reason"), evictedAt));
    }

    private <T> T require(String column, @Nullable T value) throws SQLException {
        if (value == null) {
            throw new SQLException("the column " + prefix + column + " is empty", "XX001");
        }
        return value;
    }
}
