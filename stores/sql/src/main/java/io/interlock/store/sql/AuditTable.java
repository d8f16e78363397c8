package io.interlock.store.sql;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.AuditChain.AuditSignature;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.spi.run.AuditLog;
import io.interlock.store.sql.Dialect.AuditNumbers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code audit}: all that was done, and the chain that seals it. Records are found by tenant, by key and, those of
 * rare actions, by action; what is asked for by time or by run is narrowed to a range of numbers first. Safe for use by many
 * threads.
 */
final class AuditTable implements AuditLog {

    /** Of {@code audit AS a}, which {@link #read} reads. */
    static final String COLUMNS = "a.sequence, " + Dialect.select("a", StepWriter.AUDIT);

    private static final String SELECT = "SELECT " + COLUMNS + " FROM ${t:audit} AS a ";
    private static final String BY_TENANT = "${index:audit_tenant} ";
    private static final String BY_KEY = "${index:audit_key} ";
    private static final String BY_ACTION = "${index:audit_action} ";
    private static final String OF_KEY = SELECT + BY_KEY + "WHERE a.tenant = ? AND a.name = ? ORDER BY a.sequence";
    private static final String RUN =
            "SELECT r.tenant, r.name, r.submitted_at, r.state, r.since FROM ${t:run} AS r WHERE r.run_id = CAST(? AS ${uuid})";

    // Pages of the chain say which numbers belong to which time.
    private static final String AFTER = """
             AND a.sequence > coalesce(
               (SELECT s.sequence FROM ${t:seal} AS s WHERE s.at < ? ORDER BY s.at DESC LIMIT 1), 0)""";
    private static final String UP_TO = """
             AND a.sequence <= coalesce(
               (SELECT s.sequence FROM ${t:seal} AS s WHERE s.at > ? ORDER BY s.at LIMIT 1), 9223372036854775807)""";

    // As the index says it: it has only these.
    private static final String RARE = "AND a.action = ? AND a.action NOT IN ('submitted', 'run', 'resource')";
    private static final Set<String> FREQUENT = Set.of("submitted", "run", "resource");

    // As AuditQuery.Actors says it.
    private static final String BY_RULES = "(a.actor = '" + AuditRecord.RULES + "')";
    private static final String BY_WORKERS = "(a.action IN ('run', 'resource')"
            + " AND NOT (a.state_before IN ('QUEUED', 'PENDING') AND a.state_after = 'ABORTED'))";

    /** How much later a record may have got its number than another of the same moment. */
    private static final Duration ORDER_MARGIN = Duration.ofMinutes(1);

    /** For how long after its end there may be records about a run: its lease may be evicted as long as it lasts. */
    private static final Duration AFTERMATH = Duration.ofDays(1);

    /** How far the clock of a process that made an id may be off. */
    private static final Duration CLOCK_MARGIN = Duration.ofHours(1);

    private final Database database;
    private final SealTable seals;
    private final UnsealedRecords unsealed;

    AuditTable(Database database) {
        this.database = database;
        seals = new SealTable(database);
        unsealed = new UnsealedRecords(database);
    }

    @Override
    public List<AuditRecord> records(LockKey key) {
        return List.copyOf(new Filter(OF_KEY, key.tenant(), key.name()).list(database, AuditTable::read));
    }

    @Override
    public void append(List<AuditRecord> records) {
        database.write(Database.Lane.STEPS, transaction -> {
            Trip first = transaction.trip();
            transaction.dialect().latchShared(first);
            if (transaction.dialect().auditNumbers() instanceof AuditNumbers.OutOfOrder ids) {
                // It writes nothing before, and needs its id before it draws numbers all the same.
                first.query(ids.next(), ResultSet::next);
            }
            Trip.Answer<StoreRow> store = StoreRow.ask(first);
            first.run();
            Instant now = Micros.moment(store.get().now());
            Rows rows = new Rows();
            records.forEach(record -> rows.add(StepWriter.row(record.at(now))));
            return transaction.commit(transaction.dialect().insert("audit", StepWriter.AUDIT), rows);
        });
    }

    /** Adds a record to {@code trip}, in a transaction that has written before: only then its number may be drawn. */
    static void add(Trip trip, AuditRecord record) {
        trip.update(trip.dialect().insert("audit", StepWriter.AUDIT), Rows.of(StepWriter.row(record)));
    }

    @Override
    public List<AuditRecord> records(AuditQuery query) {
        LockKey key = query.key();
        if (key != null && query.tenant() != null && !query.tenant().equals(key.tenant())) {
            return List.of();
        }
        RunId run = query.run();
        return List.copyOf(
                run == null
                        ? end(begin(query, key), query).list(database, AuditTable::read)
                        : database.peek(transaction -> ofRun(transaction, query, run)));
    }

    private record Place(LockKey key, long since, @Nullable Long until) {

        static Place read(ResultSet row) throws SQLException {
            String state = row.getString(4);
            // What is done about a dead letter may be done at any time.
            boolean over = state != null && !state.equals(RunState.DEAD.name());
            Long until = over ? (Long) (row.getLong(5) + Micros.of(AFTERMATH)) : null;
            return new Place(LockKey.of(row.getString(1), row.getString(2)), row.getLong(3), until);
        }
    }

    private List<AuditRecord> ofRun(Transaction transaction, AuditQuery query, RunId run) throws SQLException {
        Place place =
                transaction.query(RUN, Trip.first(Place::read), run.toString()).orElse(null);
        if (place == null) {
            place = ofForgotten(transaction, query, run);
        }
        if (place == null
                || (query.key() != null && !query.key().equals(place.key()))
                || (query.tenant() != null && !query.tenant().equals(place.key().tenant()))) {
            return List.of();
        }
        Filter filter = begin(query, place.key())
                .and("AND a.run_id = CAST(? AS ${uuid})", run.toString())
                .and(AFTER, place.since() - Micros.of(ORDER_MARGIN));
        Long until = place.until();
        filter.andIf(UP_TO, until == null ? null : (Long) (until + Micros.of(ORDER_MARGIN)));
        return end(filter, query).list(transaction, AuditTable::read);
    }

    /** The log lives longer than runs do. The id says when the run was made, and so where its first record is. */
    private static @Nullable Place ofForgotten(Transaction transaction, AuditQuery query, RunId run)
            throws SQLException {
        if (run.value().version() != 7) {
            return null;
        }
        Instant made = Instant.ofEpochMilli(run.value().getMostSignificantBits() >>> 16);
        return of(query.tenant(), query.key(), false)
                .and("AND a.run_id = CAST(? AS ${uuid})", run.toString())
                .and(AFTER, Micros.of(made.minus(CLOCK_MARGIN)))
                .and(UP_TO, Micros.of(made.plus(CLOCK_MARGIN)))
                .and("ORDER BY a.sequence LIMIT 1")
                .list(transaction, AuditTable::read)
                .stream()
                .findFirst()
                .map(record -> new Place(record.key(), Micros.of(record.at()), null))
                .orElse(null);
    }

    private static Filter begin(AuditQuery query, @Nullable LockKey key) {
        String action = query.action();
        Filter filter = of(query.tenant(), key, action != null && !FREQUENT.contains(action));
        return query.before() == 0 ? filter : filter.and("AND a.sequence < ?", query.before());
    }

    /** Records of a key, of a tenant or of all, by the index that has the fewest of others. */
    private static Filter of(@Nullable String tenant, @Nullable LockKey key, boolean rareAction) {
        if (key != null) {
            return new Filter(
                    SELECT + (rareAction ? BY_ACTION : BY_KEY) + "WHERE a.tenant = ? AND a.name = ?",
                    key.tenant(),
                    key.name());
        }
        return tenant == null
                ? new Filter(SELECT + "WHERE 1 = 1")
                : new Filter(SELECT + (rareAction ? BY_ACTION : BY_TENANT) + "WHERE a.tenant = ?", tenant);
    }

    private static Filter end(Filter filter, AuditQuery query) {
        String action = query.action();
        if (action != null) {
            filter.and(FREQUENT.contains(action) ? Filter.unindexed("a.action = ?") : RARE, Texts.shown(action));
        }
        Instant since = query.since();
        if (since != null) {
            long from = Math.max(0, Micros.ceiling(since));
            filter.and(AFTER, from - Micros.of(ORDER_MARGIN)).and("AND a.at >= ?", from);
        }
        narrow(filter, query.narrowing());
        return filter.and("ORDER BY a.sequence DESC LIMIT ?", query.limit());
    }

    private static void narrow(Filter filter, AuditQuery.Narrowing narrowing) {
        Instant until = narrowing.until();
        if (until != null) {
            long to = Math.max(0, Micros.ceiling(until));
            filter.and(UP_TO, to + Micros.of(ORDER_MARGIN)).and("AND a.at < ?", to);
        }
        String prefix = Texts.shown(narrowing.prefix());
        if (!prefix.isEmpty()) {
            filter.and(Filter.unindexed("a.name >= ?"), prefix)
                    .andIf(Filter.unindexed("a.name < ?"), Texts.behind(prefix));
        }
        AuditQuery.Actors actors = narrowing.actors();
        if (actors != null) {
            filter.and(Filter.unindexed(
                    switch (actors) {
                        case RULES -> BY_RULES;
                        case WORKERS -> "NOT " + BY_RULES + " AND " + BY_WORKERS;
                        case PEOPLE -> "NOT " + BY_RULES + " AND NOT " + BY_WORKERS;
                    }));
        }
    }

    @Override
    public List<AuditRecord> unsealed(int limit) {
        return unsealed.first(limit);
    }

    @Override
    public Seal head() {
        return seals.ends().head();
    }

    @Override
    public Seal anchor() {
        return seals.ends().anchor();
    }

    @Override
    public AuditSignature signature() {
        return seals.signature();
    }

    @Override
    public boolean sign(AuditSignature before, AuditSignature next) {
        return seals.sign(before, next);
    }

    @Override
    public Numbers numbers() {
        return unsealed.numbers();
    }

    @Override
    public boolean seal(Seal head, List<Seal> links) {
        return seals.add(head, links);
    }

    @Override
    public List<Sealed> sealed(long after, int limit) {
        return seals.after(after, limit);
    }

    /** A record with {@link #COLUMNS}; {@link StepWriter#row} says how they are written. */
    static AuditRecord read(ResultSet row) throws SQLException {
        String run = row.getString(5);
        Long token = KeyRow.number(row, 6);
        return new AuditRecord(
                row.getLong(1),
                Micros.moment(row.getLong(2)),
                LockKey.of(row.getString(3), row.getString(4)),
                run == null ? null : RunId.parse(run),
                token == null ? null : new FencingToken(token),
                row.getString(7),
                row.getString(8),
                row.getString(9),
                row.getString(10),
                row.getString(11),
                row.getString(12),
                row.getString(13));
    }
}
