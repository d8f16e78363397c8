package io.interlock.store.sql;

import io.interlock.Holder;
import io.interlock.run.JobName;
import io.interlock.run.WorkerNote;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The table {@code worker}: processes that take work, as they last said of themselves. Safe for use by many threads. */
final class WorkerTable {

    private static final String KEY = "instance text";
    private static final String VALUES =
            "label text, jobs text, slots int, busy int, version text, seen_at bigint, tenant text";

    private static final String SELECT =
            "SELECT " + Dialect.select("w", KEY + ", " + VALUES) + " FROM ${t:worker} AS w WHERE w.tenant";
    private static final String LAST_SEEN = "ORDER BY w.seen_at DESC, w.instance LIMIT ?";
    private static final String REMOTE = "SELECT w.instance FROM ${t:worker} AS w WHERE w.tenant";
    // A worker of before that no longer counts. A few at a time, as one comes with each new name.
    private static final String TOO_MANY = "AND w.version = 'remote' AND w.instance <> ? " + LAST_SEEN + " OFFSET ?";
    private static final int FORGOTTEN_AT_ONCE = 100;

    private final Database database;

    WorkerTable(Database database) {
        this.database = database;
    }

    /** A worker is there now. Of a tenant's remote ones only so many stay noted. */
    void put(WorkerNote note) {
        String instance = Texts.shown(note.worker().instance());
        String tenant = note.tenant();
        database.write(Database.Lane.STEPS, transaction -> {
            Trip trip = transaction.trip();
            Trip.Answer<StoreRow> store = StoreRow.ask(trip);
            Trip.Answer<Rows> tooMany = note.isRemote()
                    ? of(tenant, REMOTE)
                            .and(TOO_MANY, instance, FORGOTTEN_AT_ONCE, WorkerNote.MOST_REMOTE - 1)
                            .ask(trip, WorkerTable::readInstances)
                    : null;
            trip.run();
            Dialect dialect = transaction.dialect();
            Trip last = transaction.trip();
            Rows rows = new Rows()
                    .add(
                            instance,
                            Texts.shown(note.worker().label()),
                            note.jobs().stream().map(JobName::value).sorted().collect(Collectors.joining(" ")),
                            note.slots(),
                            note.busy(),
                            Texts.shown(note.version()),
                            store.get().now(),
                            tenant);
            last.update(dialect.upsert("worker", KEY, VALUES), rows);
            if (tooMany != null && !tooMany.get().isEmpty()) {
                last.update(dialect.delete("worker", KEY), tooMany.get());
            }
            transaction.commit(last);
            return instance;
        });
    }

    /** Workers for a tenant that were there within {@code time}, those that were there last first. */
    List<WorkerNote> seenWithin(String tenant, Duration time, int limit) {
        return database.peek(transaction -> {
            Trip trip = transaction.trip();
            Trip.Answer<StoreRow> store = StoreRow.ask(trip);
            // Each by the index: what other tenants have is not looked at.
            Trip.Answer<List<WorkerNote>> own =
                    of(tenant, SELECT).and(LAST_SEEN, limit).list(trip, WorkerTable::read);
            Trip.Answer<List<WorkerNote>> ofAny =
                    of(null, SELECT).and(LAST_SEEN, limit).list(trip, WorkerTable::read);
            trip.run();
            long since = store.get().now() - Micros.of(time);
            return Stream.concat(own.get().stream(), ofAny.get().stream())
                    .filter(note -> Micros.of(note.seenAt()) >= since)
                    .sorted(Comparator.comparing(WorkerNote::seenAt)
                            .reversed()
                            .thenComparing(note -> note.worker().instance()))
                    .limit(limit)
                    .toList();
        });
    }

    private static Filter of(@Nullable String tenant, String select) {
        return tenant == null ? new Filter(select + " IS NULL") : new Filter(select + " = ?", tenant);
    }

    private static Rows readInstances(ResultSet found) throws SQLException {
        Rows rows = new Rows();
        while (found.next()) {
            rows.add(found.getString(1));
        }
        return rows;
    }

    private static WorkerNote read(ResultSet row) throws SQLException {
        return new WorkerNote(
                new Holder(row.getString(1), row.getString(2)),
                row.getString(8),
                Stream.of(row.getString(3).split(" ", -1))
                        .filter(name -> !name.isEmpty())
                        .map(JobName::new)
                        .collect(Collectors.toSet()),
                row.getInt(4),
                row.getInt(5),
                row.getString(6),
                Micros.moment(row.getLong(7)));
    }
}
