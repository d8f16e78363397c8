package io.interlock.store.sql;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Resource;
import io.interlock.spi.run.rules.KeyRows.Reservation;
import io.interlock.spi.run.rules.LeaseRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table {@code lease}: all that is kept about one key beside its open runs. Times are {@link Micros}.
 *
 * @param token the last token given out, or 0
 * @param plain whether a bare lease may be granted without a look at anything else: no run, pause, probe, eviction or quiet
 *     period concerns the key
 * @param waitersUntil until when a release is announced, because a refused caller waits; 0 or less if none does
 * @param usedAt when it was last granted, renewed or freed
 * @param reservation the run it is kept for, or {@code null}
 */
record KeyRow(
        LockKey key,
        @Nullable LeaseRow lease,
        long token,
        boolean plain,
        long waitersUntil,
        long usedAt,
        @Nullable Reservation reservation,
        QueueFacts queue,
        @Nullable Resource resource) {

    /**
     * What is kept about the runs that wait for a key.
     *
     * @param size how many there are
     * @param resting how many of them are not ready
     * @param dueAt no later than when time alone changes something about them or about what keeps them waiting, or
     *     {@code null}
     * @param blocked the first of them, if only the limit of its tenant keeps it waiting, or {@code null}
     */
    record QueueFacts(
            int size,
            int resting,
            @Nullable Long dueAt,
            @Nullable Blocked blocked) {

        static final QueueFacts EMPTY = new QueueFacts(0, 0, null, null);
    }

    /**
     * A run that waits for a place under its tenant's limit.
     *
     * @param below it has a place while fewer runs than this are under way
     */
    record Blocked(long place, long number, int below) {}

    private static final long ABSENT = -1;

    /** The columns that most steps write, in the order of {@link #values()}. */
    static final String WRITTEN = """
            lease_id uuid, instance text, label text, run_id uuid, token bigint, granted_at bigint, expires_at bigint,
            lock_delay bigint, probed int, plain int, waiters_until bigint, used_at bigint, reserved_for uuid,
            reserved_since bigint, reserved_until bigint, queued int, resting int, due_at bigint""";

    /** The columns that few steps write, in the order of {@link #moreValues()}. */
    static final String SELDOM_WRITTEN = """
            evicted_by text, evicted_why text, evicted_at bigint, blocked_place bigint, blocked_number bigint,
            blocked_below int, resource_kind text, resource_state text, resource_version bigint, resource_owner uuid,
            resource_settled text, resource_since bigint""";

    /** All columns of {@code lease AS l}, in the order in which {@link #read} reads them. */
    static final String COLUMNS = Dialect.select("l", "tenant text, name text, " + WRITTEN + ", " + SELDOM_WRITTEN);

    static final String FROM_KEYS =
            " FROM ${rows:k(tenant text, name text)} JOIN ${t:lease} AS l ON l.tenant = k.tenant AND l.name = k.name";

    static KeyRow absent(LockKey key) {
        return new KeyRow(key, null, 0, false, 0, ABSENT, null, QueueFacts.EMPTY, null);
    }

    boolean isAbsent() {
        return usedAt == ABSENT;
    }

    /** Whether it says no more about its key than no row at all. */
    boolean saysNothing() {
        return lease == null
                && reservation == null
                && resource == null
                && waitersUntil <= 0
                && queue.equals(QueueFacts.EMPTY);
    }

    static KeyRow read(ResultSet row) throws SQLException {
        LockKey key = LockKey.of(row.getString(1), row.getString(2));
        long token = row.getLong(7);
        return new KeyRow(
                key,
                lease(row, token),
                token,
                row.getInt(12) == 1,
                row.getLong(13),
                row.getLong(14),
                reservation(row),
                queue(row),
                resource(key, row));
    }

    LeaseRecord record(long now) {
        LeaseRow held = lease;
        if (held == null) {
            throw new IllegalStateException(key + " has no lease");
        }
        return held.record(key, Micros.moment(now));
    }

    /** Tenant, name and {@link #WRITTEN}. */
    @Nullable
    Object[] values() {
        return new @Nullable Object[] {
            key.tenant(),
            key.name(),
            lease == null ? null : lease.id().toString(),
            lease == null ? null : lease.holder().instance(),
            lease == null ? null : lease.holder().label(),
            lease == null ? null : text(lease.holder().run()),
            token,
            lease == null ? null : Micros.of(lease.grantedAt()),
            lease == null ? null : Micros.of(lease.expiresAt()),
            lease == null ? null : Micros.of(lease.lockDelay()),
            lease != null && lease.probed() ? 1 : 0,
            plain ? 1 : 0,
            waitersUntil,
            usedAt,
            reservation == null ? null : reservation.run().toString(),
            reservation == null ? null : Micros.of(reservation.since()),
            reservation == null || reservation.until() == null ? null : Micros.of(reservation.until()),
            queue.size(),
            queue.resting(),
            queue.dueAt()
        };
    }

    /** {@link #SELDOM_WRITTEN}. */
    @Nullable
    Object[] moreValues() {
        LeaseRecord.Eviction eviction = lease == null ? null : lease.eviction();
        Blocked blocked = queue.blocked();
        return new @Nullable Object[] {
            eviction == null ? null : eviction.actor(),
            eviction == null ? null : eviction.reason(),
            eviction == null ? null : Micros.of(eviction.at()),
            blocked == null ? null : blocked.place(),
            blocked == null ? null : blocked.number(),
            blocked == null ? null : blocked.below(),
            resource == null ? null : resource.kind(),
            resource == null ? null : resource.state(),
            resource == null ? null : resource.version(),
            resource == null ? null : text(resource.owner()),
            resource == null ? null : resource.settledState(),
            resource == null || resource.settledAt() == null ? null : Micros.of(resource.settledAt())
        };
    }

    private static @Nullable String text(@Nullable RunId id) {
        return id == null ? null : id.toString();
    }

    private static @Nullable LeaseRow lease(ResultSet row, long token) throws SQLException {
        String id = row.getString(3);
        if (id == null) {
            return null;
        }
        String run = row.getString(6);
        String actor = row.getString(21);
        return new LeaseRow(
                LeaseId.parse(id),
                new Holder(row.getString(4), row.getString(5), run == null ? null : RunId.parse(run)),
                new FencingToken(token),
                Micros.moment(row.getLong(8)),
                Micros.moment(row.getLong(9)),
                Micros.duration(row.getLong(10)),
                actor == null
                        ? null
                        : new LeaseRecord.Eviction(actor, row.getString(22), Micros.moment(row.getLong(23))),
                row.getInt(11) == 1);
    }

    private static @Nullable Reservation reservation(ResultSet row) throws SQLException {
        String run = row.getString(15);
        if (run == null) {
            return null;
        }
        return new Reservation(RunId.parse(run), Micros.moment(row.getLong(16)), Micros.read(row, 17));
    }

    private static QueueFacts queue(ResultSet row) throws SQLException {
        int size = row.getInt(18);
        Long dueAt = number(row, 20);
        if (size == 0 && dueAt == null) {
            return QueueFacts.EMPTY;
        }
        Long number = number(row, 25);
        Blocked blocked = number == null ? null : new Blocked(row.getLong(24), number, row.getInt(26));
        return new QueueFacts(size, row.getInt(19), dueAt, blocked);
    }

    private static @Nullable Resource resource(LockKey key, ResultSet row) throws SQLException {
        return row.getString(27) == null ? null : resource(key, row, 27);
    }

    /** The resource whose columns, as in {@link #COLUMNS}, begin with {@code first}. */
    static Resource resource(LockKey key, ResultSet row, int first) throws SQLException {
        String state = row.getString(first + 1);
        String owner = row.getString(first + 3);
        String settled = row.getString(first + 4);
        if (settled == null) {
            // Where one that a run moves stood before is not known.
            settled = owner == null ? state : Resource.UNTOUCHED;
        }
        return new Resource(
                key,
                row.getString(first),
                state,
                row.getLong(first + 2),
                owner == null ? null : RunId.parse(owner),
                settled,
                Micros.read(row, first + 5));
    }

    static @Nullable Long number(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }
}
