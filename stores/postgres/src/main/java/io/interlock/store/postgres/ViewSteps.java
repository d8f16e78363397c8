package io.interlock.store.postgres;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.JobName;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.Pause;
import io.interlock.run.Resource;
import io.interlock.run.ResourceQuery;
import io.interlock.run.Retention;
import io.interlock.run.Tally;
import io.interlock.spi.run.RunHistory.Forgotten;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looking at everything at once, and forgetting what is old, each as one statement. */
final class ViewSteps {

    private ViewSteps() {}

    static Lane.Step<List<KeyView>> keys(RunCall call, KeyQuery query) {
        String from = Texts.exact("prefix", query.prefix());
        String after = Texts.exactOrNull("after", query.after());
        return call.columns(
                RunAnswer.COLUMNS,
                "keys(?, ?, ?, ?, ?)",
                (statement, patience) -> {
                    statement.setString(1, query.tenant());
                    statement.setString(2, from);
                    statement.setString(3, behind(from));
                    statement.setString(4, after);
                    statement.setInt(5, query.limit());
                },
                ViewSteps::views);
    }

    private static List<KeyView> views(ResultSet rows) throws SQLException {
        List<KeyView> views = new ArrayList<>();
        Columns waiting = new Columns(rows, "refusal_");
        Columns pause = new Columns(rows, "pause_");
        while (rows.next()) {
            RunAnswer seen = RunAnswer.read(rows);
            views.add(new KeyView(
                    seen.requireKey(),
                    seen.lease(),
                    seen.run(),
                    seen.position(),
                    waiting.instant("since"),
                    pause.text("tenant") == null ? null : Refusals.pause(pause),
                    seen.at()));
        }
        return List.copyOf(views);
    }

    /** The first text behind all that begin with {@code prefix}, in the order of code points; {@code null} if none is. */
    static @Nullable String behind(String prefix) {
        int end = prefix.length();
        while (end > 0) {
            int last = prefix.codePointBefore(end);
            end -= Character.charCount(last);
            if (last < Character.MAX_CODE_POINT) {
                // There are no characters from U+D800 to U+DFFF.
                int next = last + 1 == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : last + 1;
                return prefix.substring(0, end) + Character.toString(next);
            }
        }
        return null;
    }

    static Lane.Step<List<Tally>> tallies(RunCall call) {
        return call.rows(
                "tallies()",
                (statement, patience) -> {},
                rows -> RunReads.each(
                        rows,
                        row -> new Tally(
                                row.requireText("tenant"),
                                new JobName(row.requireText("job")),
                                RunState.valueOf(row.requireText("state")),
                                row.requireLong("count"),
                                row.requireInstant("oldest"))));
    }

    static Lane.Step<Instant> time(RunCall call) {
        return call.rows(
                "store_time()",
                (statement, patience) -> {},
                rows -> RunReads.each(rows, row -> row.requireInstant("at")).get(0));
    }

    static Lane.Step<List<Resource>> resources(RunCall call, ResourceQuery query) {
        String kind = Texts.exact("kind", query.kind());
        LockKey after = query.after();
        return call.rows(
                "resources(?, ?, ?, ?)",
                (statement, patience) -> {
                    statement.setString(1, kind);
                    statement.setString(2, after == null ? null : after.tenant());
                    statement.setString(3, after == null ? null : after.name());
                    statement.setInt(4, query.limit());
                },
                rows -> RunReads.each(
                        rows,
                        row -> RunReads.resource(LockKey.of(row.requireText("tenant"), row.requireText("name")), row)));
    }

    static Lane.Step<List<Pause>> pauses(RunCall call, @Nullable String tenant) {
        return call.rows(
                "pauses(?)",
                (statement, patience) -> statement.setString(1, tenant),
                rows -> RunReads.each(rows, Refusals::pause));
    }

    static Lane.Step<Forgotten> forget(RunCall call, Retention retention, int limit) {
        return call.rows(
                "forget(?, ?, ?, ?, ?)",
                (statement, patience) -> {
                    statement.setInt(1, patience);
                    statement.setLong(2, Moments.micros(retention.runs()));
                    statement.setLong(3, Moments.micros(retention.deadLetters()));
                    statement.setLong(4, Moments.micros(retention.audit()));
                    statement.setInt(5, limit);
                },
                rows -> RunReads.each(rows, row -> new Forgotten(row.number("runs"), row.number("records")))
                        .get(0));
    }
}
