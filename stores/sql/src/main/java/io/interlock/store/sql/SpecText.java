package io.interlock.store.sql;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseTerms;
import io.interlock.run.JobName;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunLimits;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.RunSpec.Execution;
import io.interlock.run.RunSpec.Origin;
import io.interlock.run.Transition;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What was asked for, and the limits it was let in under, as {@link FieldText}. */
record SpecText(RunSpec spec, LineLimits line) {

    private static final String NO_PARAMETERS = "{}";
    private static final String NO_TIME = "0";

    /** What a reader assumes is left out: most runs differ in little. */
    String write() {
        FieldText text = new FieldText()
                .put("job", spec.job())
                .put("policy", spec.policy(), ConflictPolicy.REJECT)
                .put("execution", spec.execution(), Execution.WORKER)
                .put("priority", spec.priority(), 0)
                .put("parameters", spec.parameters(), NO_PARAMETERS);
        spec.labels().forEach((name, value) -> text.put("label.name", name).put("label.value", value));
        text.put("ttl", FieldText.written(spec.terms().ttl()))
                .put("lock-delay", FieldText.written(spec.terms().lockDelay()), NO_TIME)
                .put("max-wait", FieldText.written(spec.limits().maxWait()))
                .put("max-runtime", FieldText.written(spec.limits().maxRuntime()))
                .put("expiry-grace", FieldText.written(spec.limits().expiryGrace()), NO_TIME)
                .put("retry.attempts", spec.retry().attempts(), 1)
                .put("retry.backoff", FieldText.written(spec.retry().backoff()), NO_TIME)
                .put("retry.multiplier", spec.retry().multiplier(), 1.0)
                .put("retry.max-backoff", FieldText.written(spec.retry().maxBackoff()), NO_TIME);
        spec.transition().ifPresent(guard -> put(text, guard));
        return text.put("submitter", spec.origin().submitter())
                .put("reason", spec.origin().reason())
                .put("correlation", spec.origin().correlation())
                .put("trace", spec.origin().trace())
                .put("address", spec.origin().address())
                .put("line.queue-cap", line.queueCap(), Integer.MAX_VALUE)
                .put("line.max-running", line.tenantMaxRunning(), Integer.MAX_VALUE)
                .toString();
    }

    static SpecText read(String written) {
        FieldText text = FieldText.parse(written);
        RunSpec spec = new RunSpec(
                text.need("job", JobName::new),
                text.take("policy", ConflictPolicy::valueOf, ConflictPolicy.REJECT),
                text.take("execution", Execution::valueOf, Execution.WORKER),
                text.take("priority", Integer::valueOf, 0),
                text.take("parameters", String::valueOf, NO_PARAMETERS),
                labels(text),
                new LeaseTerms(
                        text.need("ttl", FieldText::time), text.take("lock-delay", FieldText::time, Duration.ZERO)),
                new RunLimits(
                        text.take("max-wait", FieldText::time),
                        text.take("max-runtime", FieldText::time),
                        text.take("expiry-grace", FieldText::time, Duration.ZERO)),
                new RetryPlan(
                        text.take("retry.attempts", Integer::valueOf, 1),
                        text.take("retry.backoff", FieldText::time, Duration.ZERO),
                        text.take("retry.multiplier", Double::valueOf, 1.0),
                        text.take("retry.max-backoff", FieldText::time, Duration.ZERO)),
                guard(text),
                new Origin(
                        text.need("submitter"),
                        text.take("reason"),
                        text.take("correlation"),
                        text.take("trace"),
                        text.take("address")));
        LineLimits line = new LineLimits(
                text.take("line.queue-cap", Integer::valueOf, Integer.MAX_VALUE),
                text.take("line.max-running", Integer::valueOf, Integer.MAX_VALUE));
        text.end();
        return new SpecText(spec, line);
    }

    private static void put(FieldText text, Transition guard) {
        text.put("guard.resource", guard.resource());
        guard.allowed().forEach(state -> text.put("guard.from", state));
        text.put("guard.during", guard.during())
                .put("guard.success", guard.success())
                .put("guard.failure", guard.failure());
    }

    private static @Nullable Transition guard(FieldText text) {
        String resource = text.take("guard.resource");
        return resource == null
                ? null
                : new Transition(
                        resource,
                        Set.copyOf(text.takeAll("guard.from")),
                        text.need("guard.during"),
                        text.need("guard.success"),
                        text.need("guard.failure"));
    }

    private static Map<String, String> labels(FieldText text) {
        Map<String, String> labels = new HashMap<>();
        text.takePairs("label.name", "label.value", Map::entry)
                .forEach(label -> labels.put(label.getKey(), label.getValue()));
        return labels;
    }
}
