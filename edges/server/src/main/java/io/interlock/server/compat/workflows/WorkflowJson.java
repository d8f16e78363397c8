package io.interlock.server.compat.workflows;

import io.interlock.LeaseRecord;
import io.interlock.RunState;
import io.interlock.engine.workflow.Workflows;
import io.interlock.run.KeyStatus;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import io.interlock.server.compat.CompatKeys;
import io.interlock.server.compat.CompatRuns;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Optional;

/** Executions and locks in the words of workflows. */
final class WorkflowJson {

    /** For which user an execution is: a field of the body, kept as a label. */
    static final String USER = "userId";

    private WorkflowJson() {}

    /** An execution of a workflow, or of one of its nodes. */
    static JsonObject execution(Run run) {
        String[] names = run.key().name().substring(Workflows.KEYS.length()).split("/node/", 2);
        JsonObject json = facts(run).put("workflowId", names[0]);
        String user = run.spec().labels().get(USER);
        if (user != null) {
            json.put(USER, user);
        }
        return names.length == 1 ? json : json.put("node", names[1]);
    }

    /** A node of an execution; one nobody has asked for yet is pending. */
    static JsonObject node(String name, Optional<Run> run) {
        return run.map(WorkflowJson::facts)
                .orElseGet(() -> new JsonObject()
                        .putNull("executionId")
                        .put("status", "PENDING")
                        .putNull("startedAt")
                        .putNull("finishedAt")
                        .putNull("error"))
                .put("node", name);
    }

    private static JsonObject facts(Run run) {
        return new JsonObject()
                .put("executionId", run.id().toString())
                .put("status", status(run.state()))
                .put("startedAt", CompatRuns.time(CompatRuns.startedAt(run)))
                .put("finishedAt", CompatRuns.time(CompatRuns.endedAt(run)))
                .put("error", CompatRuns.error(run));
    }

    static String status(RunState state) {
        return switch (state) {
            case QUEUED, PENDING -> "PENDING";
            case SUCCEEDED -> "SUCCESS";
            case DEAD, TIMED_OUT -> "FAILED";
            default -> state.name();
        };
    }

    static JsonObject lock(Optional<KeyView> view) {
        Optional<LeaseRecord> lease = view.flatMap(KeyView::currentLease);
        Optional<Run> run = view.flatMap(KeyView::currentRun);
        Optional<Instant> since = lease.map(LeaseRecord::grantedAt)
                .or(() -> run.map(kept -> kept.status().since()));
        return new JsonObject()
                .put("isLocked", lease.isPresent() || run.isPresent())
                .put(
                        "executionId",
                        lease.flatMap(held -> held.holder().runId())
                                .or(() -> run.map(Run::id))
                                .map(Object::toString)
                                .orElse(null))
                .put("lockedSince", CompatRuns.time(since))
                .put(
                        "expiresAt",
                        CompatRuns.time(lease.map(held -> end(held, run)).or(() -> view.flatMap(CompatKeys::opensAt))))
                .put("isStale", view.filter(WorkflowJson::isStale).isPresent());
    }

    /** Whether the holder of the lock is out of time, and only the step that settles it is missing. */
    private static boolean isStale(KeyView view) {
        return view.state() == KeyStatus.OVERDUE
                || (view.lease() == null
                        && CompatKeys.opensAt(view)
                                .filter(end -> !end.isAfter(view.observedAt()))
                                .isPresent());
    }

    /** The time by which an execution must be through; without a limit, the end of its lease, which is renewed. */
    private static Instant end(LeaseRecord lease, Optional<Run> run) {
        return run.flatMap(under -> under.spec().limits().runtimeLimit())
                .map(lease.grantedAt()::plus)
                .orElse(lease.expiresAt());
    }
}
