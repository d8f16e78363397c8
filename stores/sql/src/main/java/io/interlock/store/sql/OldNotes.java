package io.interlock.store.sql;

import io.interlock.run.Retention;
import io.interlock.run.RunPeriod;
import io.interlock.run.WorkerNote;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Forgets what is kept beside runs: names that count no more, counts, periods and workers. It deletes a page at a time,
 * each in a transaction of its own, and leaves the rest to the next call if there is very much. Safe for use by many threads.
 */
final class OldNotes {

    private static final int PAGE = 1000;
    private static final int MOST_PAGES = 20;

    private static final String NAME_KEY = "tenant text, name text";
    private static final String NAMES = "${t:idempotency} AS t WHERE t.until <= ?";
    private static final String COUNTS = "${t:refusal_count} AS t WHERE t.minute < ?";
    private static final String WORKERS = "${t:worker} AS t WHERE t.version <> 'remote' AND t.seen_at < ?";
    private static final String REMOTE_WORKERS = "${t:worker} AS t WHERE t.version = 'remote' AND t.seen_at < ?";

    private final Database database;

    OldNotes(Database database) {
        this.database = database;
    }

    /** Rows that are old, and how they are found. */
    private record Old(String table, String key, String where, String order, long then) {

        String exists() {
            return "SELECT CASE WHEN EXISTS (SELECT 1 FROM " + where + ") THEN 1 ELSE 0 END";
        }

        String keys() {
            return "SELECT " + Dialect.select("t", key) + " FROM " + where + " ORDER BY t." + order
                    + " LIMIT ? ${skip:t}";
        }
    }

    void forget(long now, Retention retention) {
        long then = now - Micros.of(retention.runs());
        long remoteThen = now - Micros.of(WorkerNote.REMOTE_KEPT);
        List<Old> all = new ArrayList<>(List.of(
                new Old("idempotency", NAME_KEY, NAMES, "until", now),
                new Old("refusal_count", NoteTable.COUNT_KEY, COUNTS, "minute", then),
                new Old("worker", NoteTable.WORKER_KEY, WORKERS, "seen_at", then),
                new Old("worker", NoteTable.WORKER_KEY, REMOTE_WORKERS, "seen_at", remoteThen)));
        for (RunPeriod.Length length : RunPeriod.Length.values()) {
            all.add(new Old(
                    "run_period",
                    NoteTable.PERIOD_KEY,
                    "${t:run_period} AS t WHERE t.seconds = " + length.time().toSeconds() + " AND t.start_at < ?",
                    "start_at",
                    now - Micros.of(length.kept())));
        }
        for (Old old : found(all)) {
            int pages = 1;
            while (deletePage(old) == PAGE && pages < MOST_PAGES) {
                pages++;
            }
        }
    }

    /** Those of which there are any: usually none, and one trip says so. */
    private List<Old> found(List<Old> all) {
        return database.peek(transaction -> {
            Trip trip = transaction.trip();
            List<Trip.Answer<Boolean>> answers = all.stream()
                    .map(old -> trip.query(old.exists(), rows -> rows.next() && rows.getInt(1) == 1, old.then()))
                    .toList();
            trip.run();
            return all.stream()
                    .filter(old -> answers.get(all.indexOf(old)).get())
                    .toList();
        });
    }

    private int deletePage(Old old) {
        return database.write(Database.Lane.STEPS, transaction -> {
            int columns = Dialect.Column.parse(old.key()).size();
            Rows rows = new Rows();
            transaction.query(
                    old.keys(),
                    Trip.forEach(row -> {
                        @Nullable Object[] key = new @Nullable Object[columns];
                        for (int i = 0; i < columns; i++) {
                            key[i] = row.getString(i + 1);
                        }
                        rows.add(key);
                    }),
                    old.then(),
                    PAGE);
            if (!rows.isEmpty()) {
                transaction.commit(transaction.dialect().delete(old.table(), old.key()), rows);
            }
            return rows.size();
        });
    }
}
