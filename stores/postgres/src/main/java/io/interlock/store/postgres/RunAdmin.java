package io.interlock.store.postgres;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.CancelAnswer;
import io.interlock.run.Pause;
import io.interlock.run.Resource;
import io.interlock.run.ResourceAnswer;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResourceRequest;
import io.interlock.spi.run.ResumeRequest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What operators and the janitor ask about runs, each as one statement. */
final class RunAdmin {

    private RunAdmin() {}

    /**
     * Something a sweep did.
     *
     * @param action what
     * @param leavesWaiters whether somebody waits for the key, and should hear of it
     */
    record Swept(SweepAction action, boolean leavesWaiters) {}

    static Lane.Step<List<RunAnswer>> cancel(RunCall call, CancelRequest request) {
        return call.answers("cancel(?, ?, ?, ?)", (statement, patience) -> {
            statement.setInt(1, patience);
            statement.setObject(2, request.run().value());
            statement.setString(3, Texts.shown(request.actor()));
            statement.setString(4, Texts.shown(request.reason()));
        });
    }

    static CancelAnswer cancelled(RunAnswer row) {
        return switch (row.verdict()) {
            case "cancelled" -> new CancelAnswer.Cancelled(row.requireRun());
            case "stop-requested" -> new CancelAnswer.StopRequested(row.requireRun());
            case "over" -> new CancelAnswer.Over(row.requireRun());
            case "unknown" -> new CancelAnswer.Unknown();
            default -> throw RunCall.unknown(row);
        };
    }

    static Lane.Step<Pause> pause(RunCall call, PauseRequest request) {
        Long micros = Texts.microsOrNull(request.time());
        String pattern = Texts.exact("pattern", request.pattern());
        return call.rows(
                "pause(?, ?, ?, ?, ?, ?)",
                (statement, patience) -> {
                    statement.setInt(1, patience);
                    statement.setString(2, request.tenant());
                    statement.setString(3, pattern);
                    statement.setString(4, Texts.shown(request.actor()));
                    statement.setString(5, Texts.shown(request.reason()));
                    statement.setObject(6, micros, java.sql.Types.BIGINT);
                },
                rows -> Refusals.pause(only(rows)));
    }

    static Lane.Step<List<RunAnswer>> resume(RunCall call, ResumeRequest request) {
        String pattern = Texts.exact("pattern", request.pattern());
        return call.answers("resume(?, ?, ?, ?, ?)", (statement, patience) -> {
            statement.setInt(1, patience);
            statement.setString(2, request.tenant());
            statement.setString(3, pattern);
            statement.setString(4, Texts.shown(request.actor()));
            statement.setString(5, Texts.shown(request.reason()));
        });
    }

    static Lane.Step<ResourceAnswer> setResource(RunCall call, ResourceRequest request) {
        String kind = Texts.exact("kind", request.kind());
        String state = Texts.exact("state", request.state());
        return call.rows(
                "put_resource(?, ?, ?, ?, ?, ?, ?, ?)",
                (statement, patience) -> {
                    statement.setInt(1, patience);
                    statement.setString(2, request.key().tenant());
                    statement.setString(3, request.key().name());
                    statement.setString(4, kind);
                    statement.setString(5, state);
                    statement.setLong(6, request.expectedVersion());
                    statement.setString(7, Texts.shown(request.actor()));
                    statement.setString(8, Texts.shown(request.reason()));
                },
                rows -> resource(request.key(), only(rows)));
    }

    private static ResourceAnswer resource(LockKey key, Columns row) throws SQLException {
        Resource resource = row.text("state") == null
                ? null
                : new Resource(
                        key,
                        row.requireText("kind"),
                        row.requireText("state"),
                        row.requireLong("version"),
                        row.run("owner"));
        return resource != null && row.flag("changed")
                ? new ResourceAnswer.Changed(resource)
                : new ResourceAnswer.Mismatch(resource);
    }

    static Lane.Step<List<Swept>> sweep(RunCall call, int limit, boolean lost) {
        return call.rows(
                "sweep_runs(?, ?, ?)",
                (statement, patience) -> {
                    statement.setInt(1, patience);
                    statement.setInt(2, limit);
                    statement.setBoolean(3, lost);
                },
                RunAdmin::swept);
    }

    private static List<Swept> swept(ResultSet rows) throws SQLException {
        List<Swept> done = new ArrayList<>();
        Columns row = new Columns(rows, "");
        while (rows.next()) {
            Instant mark = row.instant("mark");
            SweepAction action = new SweepAction(
                    row.requireKey(),
                    row.run("run"),
                    RunState.valueOf(row.requireText("state")),
                    row.requireText("why"));
            done.add(new Swept(action, mark != null && mark.isAfter(row.requireInstant("at"))));
        }
        return done;
    }

    private static Columns only(ResultSet rows) throws SQLException {
        if (!rows.next()) {
            throw new SQLException("there was no answer", "XX000");
        }
        return new Columns(rows, "");
    }
}
