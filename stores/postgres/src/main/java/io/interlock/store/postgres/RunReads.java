package io.interlock.store.postgres;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunPage;
import io.interlock.run.RunQuery;
import io.interlock.run.Turn;
import io.interlock.run.Wait;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What onlookers ask about runs, each as one statement. */
final class RunReads {

    private RunReads() {}

    static Lane.Step<List<RunAnswer>> find(RunCall call, RunId run) {
        return call.answers("find_run(?)", (statement, patience) -> statement.setObject(1, run.value()));
    }

    static Lane.Step<List<RunAnswer>> queue(RunCall call, LockKey key) {
        return call.answers("queue(?, ?, ?)", (statement, patience) -> {
            statement.setInt(1, patience);
            statement.setString(2, key.tenant());
            statement.setString(3, key.name());
        });
    }

    static Lane.Step<List<RunAnswer>> explain(RunCall call, RunId run) {
        return call.answers("explain(?, ?)", (statement, patience) -> {
            statement.setInt(1, patience);
            statement.setObject(2, run.value());
        });
    }

    static Optional<Wait> explained(List<RunAnswer> rows) {
        if (rows.isEmpty()) {
            return Optional.empty();
        }
        RunAnswer waiting = rows.get(0);
        RunAnswer holder = rows.size() > 1 ? rows.get(1) : null;
        return Optional.of(new Wait(
                waiting.requireRun(),
                waiting.position(),
                waiting.refusal(),
                holder == null ? null : holder.requireRun(),
                holder != null && holder.position() == 1,
                waiting.length(),
                waiting.at()));
    }

    static Lane.Step<List<RunAnswer>> list(RunCall call, RunQuery query) {
        return call.answers("list_runs(?, ?, ?, ?, ?, ?, ?, ?)", (statement, patience) -> {
            LockKey key = query.key();
            // The key of another tenant has no runs of this one.
            boolean none = key != null && !key.tenant().equals(query.tenant());
            statement.setString(1, none ? "" : query.tenant());
            statement.setString(2, key == null ? null : key.name());
            statement.setString(3, query.state() == null ? null : query.state().name());
            statement.setString(4, query.job() == null ? null : query.job().value());
            Moments.set(statement, 5, query.since());
            statement.setLong(6, query.after());
            statement.setInt(7, query.limit() + 1);
            statement.setBoolean(8, query.descending());
        });
    }

    static RunPage page(RunQuery query, List<RunAnswer> rows) {
        return RunPage.of(runs(rows), query.limit());
    }

    static List<Run> runs(List<RunAnswer> rows) {
        return rows.stream().map(RunAnswer::requireRun).toList();
    }

    static Lane.Step<List<Attempt>> attempts(RunCall call, RunId run) {
        return call.rows(
                "attempts(?)",
                (statement, patience) -> statement.setObject(1, run.value()),
                rows -> each(rows, row -> attempt(run, row)));
    }

    private static Attempt attempt(RunId run, Columns row) throws SQLException {
        String code = row.text("error_code");
        return new Attempt(
                run,
                new Turn(
                        row.number("attempt"),
                        new LeaseId(row.requireId("lease_id")),
                        new FencingToken(row.requireLong("token")),
                        new Holder(row.requireText("instance"), row.requireText("label"), run),
                        row.requireInstant("started_at")),
                row.requireInstant("ended_at"),
                RunState.valueOf(row.requireText("next")),
                code == null ? null : new RunError(code, row.requireText("error_message")));
    }

    static Lane.Step<List<Resource>> resource(RunCall call, LockKey key) {
        return call.rows(
                "resource_of(?, ?)",
                (statement, patience) -> {
                    statement.setString(1, key.tenant());
                    statement.setString(2, key.name());
                },
                rows -> each(rows, row -> resource(key, row)));
    }

    static Resource resource(LockKey key, Columns row) throws SQLException {
        return new Resource(
                key, row.requireText("kind"), row.requireText("state"), row.requireLong("version"), row.run("owner"));
    }

    static Lane.Step<List<AuditRecord>> audit(RunCall call, LockKey key) {
        return call.rows(
                "audit_of(?, ?)",
                (statement, patience) -> {
                    statement.setString(1, key.tenant());
                    statement.setString(2, key.name());
                },
                rows -> each(rows, RunReads::audited));
    }

    static AuditRecord audited(Columns row) throws SQLException {
        Long token = row.longNumber("token");
        return new AuditRecord(
                row.requireLong("seq"),
                row.requireInstant("at"),
                row.requireKey(),
                row.run("run_id"),
                token == null ? null : new FencingToken(token),
                row.requireText("actor"),
                row.requireText("action"),
                row.requireText("before"),
                row.requireText("after"),
                row.requireText("reason"),
                row.text("correlation"));
    }

    /** Makes something of one row. */
    interface RowReader<T> {

        /** Reads the current row. */
        T read(Columns row) throws SQLException;
    }

    static <T> List<T> each(ResultSet rows, RowReader<T> reader) throws SQLException {
        List<T> read = new ArrayList<>();
        Columns row = new Columns(rows, "");
        while (rows.next()) {
            read.add(reader.read(row));
        }
        return List.copyOf(read);
    }
}
