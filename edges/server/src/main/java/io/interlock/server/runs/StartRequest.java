package io.interlock.server.runs;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseId;
import io.interlock.engine.RunRequest;
import io.interlock.run.Execution;
import io.interlock.server.api.Call;
import io.interlock.server.problem.Problem;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads what a call to start a run asks for. */
final class StartRequest {

    /** The job of runs whose caller does the work and names none. */
    static final String CALLERS_JOB = "caller";

    private StartRequest() {}

    static RunRequest read(Call call) {
        JsonObject body = call.body();
        boolean byCaller = byCaller(call);
        String job = body.getString("job");
        if (job == null && !byCaller) {
            throw Problem.invalid("/job", "is required unless execution is caller")
                    .thrown();
        }
        if (body.containsKey("leaseId") && !byCaller) {
            throw Problem.invalid("/leaseId", "is for execution caller only: whoever claims the run makes its own")
                    .thrown();
        }
        RunRequest request = RunRequest.of(call.key("key"), job == null ? CALLERS_JOB : job)
                .execution(byCaller ? Execution.CALLER : Execution.WORKER)
                .submitter(call.actor())
                .labels(labels(body.getJsonObject("labels")));
        request = with(
                request, body.getString("onConflict"), (asked, text) -> asked.onConflict(ConflictPolicy.valueOf(text)));
        request = with(request, idempotencyKey(call), RunRequest::idempotencyKey);
        request = with(request, body.getInteger("priority"), RunRequest::priority);
        request = with(request, call.duration("maxWait").orElse(null), RunRequest::maxWait);
        request = with(request, call.duration("lease").orElse(null), RunRequest::lease);
        request = with(request, call.duration("maxRuntime").orElse(null), RunRequest::maxRuntime);
        request = with(request, body.getJsonObject("parameters"), (asked, json) -> asked.parameters(json.encode()));
        request = with(request, body.getString("reason"), RunRequest::reason);
        return with(request, call.traceparent().orElse(null), RunRequest::trace);
    }

    /** The name the caller gives the grant to come, so that it finds it again after an answer that was lost. */
    static Optional<LeaseId> leaseId(Call call) {
        return Optional.ofNullable(call.body().getString("leaseId")).map(LeaseId::parse);
    }

    static boolean byCaller(Call call) {
        return "caller".equals(call.body().getString("execution"));
    }

    private static <T> RunRequest with(RunRequest request, @Nullable T value, Setting<T> setting) {
        return value == null ? request : setting.set(request, value);
    }

    /** Of the body, else of the header, where the draft standard wants quotes and clients forget them. */
    private static @Nullable String idempotencyKey(Call call) {
        String field = call.body().getString("idempotencyKey");
        if (field != null) {
            return field;
        }
        Optional<String> header = call.optional("Idempotency-Key", String.class);
        return header.map(text -> text.length() > 2 && text.startsWith("\"") && text.endsWith("\"")
                        ? text.substring(1, text.length() - 1)
                        : text)
                .orElse(null);
    }

    private static Map<String, String> labels(@Nullable JsonObject json) {
        Map<String, String> labels = new HashMap<>();
        if (json != null) {
            json.forEach(label -> labels.put(label.getKey(), (String) label.getValue()));
        }
        return labels;
    }

    /** One thing a request may say. */
    @FunctionalInterface
    private interface Setting<T> {
        RunRequest set(RunRequest request, T value);
    }
}
