package io.interlock.store.postgres;

import io.interlock.ConflictPolicy;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseTerms;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Execution;
import io.interlock.run.JobName;
import io.interlock.run.LineLimits;
import io.interlock.run.Origin;
import io.interlock.run.Progress;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.RunStatus;
import io.interlock.run.Stage;
import io.interlock.run.StopRequest;
import io.interlock.run.Transition;
import io.interlock.run.Turn;
import io.interlock.run.Waiter;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A run in the columns of its table. */
final class RunColumns {

    private RunColumns() {}

    /** The run of the current row, or {@code null} if it has none. */
    static @Nullable Run read(Columns row) throws SQLException {
        UUID id = row.id("id");
        if (id == null) {
            return null;
        }
        RunId run = new RunId(id);
        return new Run(
                run,
                row.requireKey(),
                row.requireLong("number"),
                row.requireInstant("submitted_at"),
                spec(row),
                new LineLimits(row.number("queue_cap"), row.number("max_running")),
                status(row, run));
    }

    private static RunSpec spec(Columns row) throws SQLException {
        return new RunSpec(
                new JobName(row.requireText("job")),
                ConflictPolicy.valueOf(row.requireText("policy")),
                Execution.valueOf(row.requireText("execution")),
                row.number("priority"),
                row.requireText("parameters"),
                labels(row.texts("labels")),
                new LeaseTerms(row.requireTime("ttl"), row.requireTime("lock_delay")),
                new RunLimits(row.time("max_wait"), row.time("max_runtime"), row.requireTime("expiry_grace")),
                new RetryPlan(
                        row.number("retry_attempts"),
                        row.requireTime("retry_backoff"),
                        row.fraction("retry_multiplier"),
                        row.requireTime("retry_longest")),
                guard(row),
                new Origin(
                        row.requireText("submitter"), row.text("reason"), row.text("correlation"), row.text("trace")));
    }

    private static Map<String, String> labels(List<String> flat) {
        Map<String, String> labels = new HashMap<>();
        for (int i = 0; i < flat.size(); i += 2) {
            labels.put(flat.get(i), flat.get(i + 1));
        }
        return labels;
    }

    private static @Nullable Transition guard(Columns row) throws SQLException {
        String kind = row.text("guard_kind");
        return kind == null
                ? null
                : new Transition(
                        kind,
                        Set.copyOf(row.texts("guard_from")),
                        row.requireText("guard_during"),
                        row.requireText("guard_success"),
                        row.requireText("guard_failure"));
    }

    private static RunStatus status(Columns row, RunId run) throws SQLException {
        Instant seen = row.instant("waiter_seen");
        String code = row.text("error_code");
        return new RunStatus(
                RunState.valueOf(row.requireText("state")),
                row.requireInstant("since"),
                row.number("attempts"),
                row.instant("not_before"),
                seen == null ? null : new Waiter(seen, row.flag("waiter_missed")),
                turn(row, run),
                stages(row),
                new Progress(row.requireLong("progress_done"), row.longNumber("progress_total")),
                stop(row),
                row.text("result"),
                code == null ? null : new RunError(code, row.requireText("error_message")));
    }

    private static @Nullable Turn turn(Columns row, RunId run) throws SQLException {
        UUID lease = row.id("turn_lease");
        return lease == null
                ? null
                : new Turn(
                        row.number("turn_attempt"),
                        new LeaseId(lease),
                        new FencingToken(row.requireLong("turn_token")),
                        new Holder(row.requireText("turn_instance"), row.requireText("turn_label"), run),
                        row.requireInstant("turn_since"));
    }

    private static List<Stage> stages(Columns row) throws SQLException {
        List<String> names = row.texts("stages");
        List<Instant> times = row.instants("stage_times");
        List<Stage> stages = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            stages.add(new Stage(names.get(i), times.get(i)));
        }
        return stages;
    }

    private static @Nullable StopRequest stop(Columns row) throws SQLException {
        String code = row.text("stop_code");
        return code == null
                ? null
                : new StopRequest(
                        code,
                        row.requireText("stop_actor"),
                        row.requireText("stop_reason"),
                        row.requireInstant("stop_at"));
    }
}
