package io.interlock.store.postgres;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.RefusalCount;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.OutputNote;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/** Output, counts, workers and bookmarks, each call as one statement. */
final class NoteSteps {

    private NoteSteps() {}

    /**
     * What became of a bookmark.
     *
     * @param moved whether this call has moved it
     * @param there whether it is where it should go, whoever has moved it
     */
    record Moved(boolean moved, boolean there) {}

    static Lane.Step<Boolean> keepOutput(RunCall call, OutputNote note) {
        return call.rows(
                "keep_output(?, ?, ?, ?, ?, ?, ?)",
                (statement, patience) -> {
                    statement.setInt(1, patience);
                    statement.setObject(2, note.run().value());
                    statement.setString(3, note.key().tenant());
                    statement.setString(4, note.key().name());
                    statement.setObject(5, note.lease().value());
                    statement.setLong(6, note.token().value());
                    statement.setString(7, Texts.shown(note.text()));
                },
                rows -> RunReads.each(rows, row -> row.flag("kept")).get(0));
    }

    static Lane.Step<List<String>> output(RunCall call, RunId run) {
        return call.rows(
                "output_of(?)",
                (statement, patience) -> statement.setObject(1, run.value()),
                rows -> RunReads.each(rows, row -> row.requireText("text")));
    }

    static Lane.Step<Boolean> count(RunCall call, List<RefusalCount> counts) {
        return call.rows(
                "count_refusals(?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (statement, patience) -> new SqlArrays(statement)
                        .number(patience)
                        .each("text", counts, count -> count.key().tenant())
                        .each("text", counts, count -> count.key().name())
                        .each("timestamptz", counts, count -> count.minute().toString())
                        .each("text", counts, count -> Texts.shown(count.node()))
                        .each("text", counts, count -> count.policy().name())
                        .each("text", counts, count -> count.outcome().name())
                        .each("int8", counts, RefusalCount::count)
                        .each("text", counts, count -> Texts.shown(count.last())),
                rows -> true);
    }

    static Lane.Step<List<RefusalCount>> refusals(RunCall call, LockKey key, Instant since) {
        return call.rows(
                "refusals_of(?, ?, ?)",
                (statement, patience) -> {
                    statement.setString(1, key.tenant());
                    statement.setString(2, key.name());
                    Moments.set(statement, 3, since);
                },
                rows -> RunReads.each(
                        rows,
                        row -> new RefusalCount(
                                key,
                                row.requireText("node"),
                                row.requireInstant("minute"),
                                ConflictPolicy.valueOf(row.requireText("policy")),
                                RefusalCount.Outcome.valueOf(row.requireText("outcome")),
                                row.requireLong("count"),
                                row.requireText("last"))));
    }

    static Lane.Step<Boolean> worker(RunCall call, WorkerNote note) {
        return call.rows(
                "note_worker(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (statement, patience) -> {
                    Holder worker = note.worker();
                    RunId run = worker.run();
                    statement.setInt(1, patience);
                    statement.setString(2, Texts.shown(worker.instance()));
                    statement.setString(3, Texts.shown(worker.label()));
                    statement.setObject(4, run == null ? null : run.value(), java.sql.Types.OTHER);
                    new SqlArrays(statement, 5).each("text", List.copyOf(note.jobs()), JobName::value);
                    statement.setInt(6, note.slots());
                    statement.setInt(7, note.busy());
                    statement.setString(8, Texts.shown(note.version()));
                    statement.setString(9, note.tenant());
                    statement.setInt(10, note.isRemote() ? WorkerNote.MOST_REMOTE : 0);
                },
                rows -> true);
    }

    static Lane.Step<List<WorkerNote>> workers(RunCall call, String tenant, Duration time, int limit) {
        return call.rows(
                "workers(?, ?, ?)",
                (statement, patience) -> {
                    statement.setString(1, tenant);
                    statement.setLong(2, Moments.micros(time));
                    statement.setInt(3, limit);
                },
                rows -> RunReads.each(rows, NoteSteps::worker));
    }

    private static WorkerNote worker(Columns row) throws SQLException {
        return new WorkerNote(
                new Holder(row.requireText("instance"), row.requireText("label"), row.run("run_id")),
                row.text("tenant"),
                row.texts("jobs").stream().map(JobName::new).collect(Collectors.toUnmodifiableSet()),
                row.number("slots"),
                row.number("busy"),
                row.requireText("version"),
                row.requireInstant("seen_at"));
    }

    static Lane.Step<Long> bookmark(RunCall call, String name) {
        String exact = Texts.exact("bookmark", name);
        return call.rows(
                "bookmark_of(?)",
                (statement, patience) -> statement.setString(1, exact),
                rows -> RunReads.each(rows, row -> row.requireLong("value")).stream()
                        .findFirst()
                        .orElse(0L));
    }

    static Lane.Step<Moved> moveBookmark(RunCall call, String name, long expected, long value) {
        String exact = Texts.exact("bookmark", name);
        return call.rows(
                "move_bookmark(?, ?, ?, ?)",
                (statement, patience) -> {
                    statement.setInt(1, patience);
                    statement.setString(2, exact);
                    statement.setLong(3, expected);
                    statement.setLong(4, value);
                },
                rows -> RunReads.each(rows, row -> new Moved(row.flag("moved"), row.flag("there")))
                        .get(0));
    }
}
