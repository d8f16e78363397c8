package io.interlock.server.compat.workflows;

import io.interlock.RefusedException;
import io.interlock.Sha256;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.config.TriggerSecret;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.http.SignatureCheck;
import io.interlock.engine.workflow.Workflows;
import io.interlock.engine.workflow.Workflows.LockAcquisitionFailedException;
import io.interlock.engine.workflow.Workflows.WorkflowLockedException;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations.Signatures;
import io.interlock.server.api.Reply;
import io.interlock.server.compat.CompatRuns;
import io.interlock.server.compat.CompatRuns.CompatJobs;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** {@code triggerWorkflow}: idempotency first, then the lock. */
final class WebhookOperation {

    /** Executions take from seconds to minutes, so a sender that asks sooner asks in vain. */
    private static final Duration ASK_AGAIN = Duration.ofSeconds(5);

    private final OperationContext context;
    private final CompatJobs jobs;
    private final TriggerSenders senders;
    private final Workflows workflows;

    WebhookOperation(OperationContext context, CompatJobs jobs, TriggerSenders senders) {
        this.context = context;
        this.jobs = jobs;
        this.senders = senders;
        this.workflows = Workflows.on(context.engine());
    }

    CompletionStage<Reply> trigger(Call call) {
        String trigger = call.required("triggerId", String.class);
        JobSettings workflow = jobs.of(CompatApi.WORKFLOWS).stream()
                .filter(job -> job.triggers().containsKey(trigger))
                .findFirst()
                .orElseThrow(() -> Call.notFound("trigger", trigger));
        RunRequest anonymous = CompatRuns.request(
                        call, Workflows.request(call.tenant(), workflow.name()).key(), workflow)
                .parameters(call.body().encode())
                .priority(workflow.triggers().getOrDefault(trigger, 0));
        RunRequest plain = at(call.body(), WorkflowApi.USER)
                .map(user -> anonymous.labels(Map.of(WorkflowApi.USER, user)))
                .orElse(anonymous);
        RunRequest request = eventId(call, workflow)
                .map(event -> Workflows.forEvent(plain, trigger + "/" + event))
                .orElse(plain);
        return context.waits()
                .until(call, context.engine().submitAsync(request))
                .thenCompose(answer -> context.blocking(call, () -> reply(request, answer)));
    }

    private Reply reply(RunRequest request, Submission answer) {
        try {
            Workflows.Execution execution = workflows.execution(request, answer);
            return Reply.ok(new JsonObject()
                    .put("success", true)
                    .put("executionId", execution.id().toString())
                    .put("duplicate", execution.duplicate()));
        } catch (WorkflowLockedException locked) {
            String existing = locked.existingExecutionId().toString();
            return conflict(new JsonObject()
                    .put("success", false)
                    .put("error", "Workflow currently executing")
                    .put("details", "Only one execution can run at a time. Currently executing: " + existing)
                    .put("existingExecutionId", existing));
        } catch (LockAcquisitionFailedException raced) {
            return conflict(new JsonObject()
                    .put("success", false)
                    .put("error", "Concurrent execution attempted")
                    .put("details", "Another concurrent request acquired the execution lock"));
        } catch (RefusedException refused) {
            throw CompatRuns.problem(context, refused.refusal());
        }
    }

    private static Reply conflict(JsonObject body) {
        return Reply.conflict(body).retryAfter(ASK_AGAIN);
    }

    /**
     * Of the body, else of a header. Without one every call is an event of its own. Of a signed message only what was signed counts:
     * with any other header a client that has seen it could send it as ever new events.
     */
    private Optional<String> eventId(Call call, JobSettings workflow) {
        Optional<String> named = at(call.body(), workflow.eventId());
        Optional<SignatureCheck> signature = senders.signatureOf(call.caller().key());
        if (signature.isEmpty()) {
            return named.or(() -> call.optional("Idempotency-Key", String.class))
                    .or(() -> call.optional("webhook-id", String.class));
        }
        return named.or(() -> signature
                .get()
                .eventIdPath()
                .map(path -> at(call.body(), path))
                .orElseGet(() -> call.optional("webhook-id", String.class)));
    }

    /** The text or number at a path, if there is one. */
    private static Optional<String> at(JsonObject body, String path) {
        JsonObject inner = body;
        String[] names = path.split("\\.", -1);
        for (int i = 0; i < names.length - 1; i++) {
            if (!(inner.getValue(names[i]) instanceof JsonObject next)) {
                return Optional.empty();
            }
            inner = next;
        }
        Object id = inner.getValue(names[names.length - 1]);
        return id instanceof String || id instanceof Number ? Optional.of(String.valueOf(id)) : Optional.empty();
    }

    /** Senders of webhooks, known by secrets that are bound to a trigger and a tenant. They may start that trigger, nothing else. */
    static final class TriggerSenders implements Signatures {

        private static final int ID_LENGTH = 24;

        private final List<TriggerSecret> secrets;

        TriggerSenders(Collection<TriggerSecret> secrets) {
            this.secrets = List.copyOf(secrets);
        }

        @Override
        public boolean expects(RoutingContext context) {
            return secrets.stream()
                    .filter(secret -> secret.trigger().equals(trigger(context)))
                    .anyMatch(
                            secret -> context.request().getHeader(secret.check().header()) != null);
        }

        @Override
        public Optional<AccessKey> recognise(RoutingContext context, Buffer body) {
            return secrets.stream()
                    .filter(secret -> secret.trigger().equals(trigger(context)))
                    .filter(secret -> secret.check().verify(context.request()::getHeader, body.getBytes()))
                    .map(TriggerSenders::sender)
                    .findFirst();
        }

        /** By what {@code key} was recognised, if it stands for one of them: what it asks for was signed. */
        Optional<SignatureCheck> signatureOf(AccessKey key) {
            return secrets.stream()
                    .filter(secret -> sender(secret).equals(key))
                    .map(TriggerSecret::check)
                    .findFirst();
        }

        private static String trigger(RoutingContext context) {
            return String.valueOf(context.pathParam("triggerId"));
        }

        /** What an API key would be for others: it has no secret of its own that could be shown. */
        private static AccessKey sender(TriggerSecret secret) {
            String hash = Sha256.hex(secret.tenant() + ":" + secret.trigger() + ":"
                    + secret.check().header());
            return new AccessKey(
                    "webhook" + hash.substring(0, ID_LENGTH),
                    secret.tenant(),
                    Role.TRIGGER,
                    "webhook " + secret.trigger(),
                    hash,
                    Instant.EPOCH,
                    null,
                    null);
        }
    }
}
