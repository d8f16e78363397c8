package io.interlock.store.sqlite;

import io.interlock.ConflictPolicy;
import io.interlock.LeaseTerms;
import io.interlock.run.Execution;
import io.interlock.run.JobName;
import io.interlock.run.LineLimits;
import io.interlock.run.Origin;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.Transition;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What was asked for, and the limits it was let in under, as {@link FieldText}. */
record SpecText(RunSpec spec, LineLimits line) {

    String write() {
        FieldText text = new FieldText()
                .put("job", spec.job())
                .put("policy", spec.policy())
                .put("execution", spec.execution())
                .put("priority", spec.priority())
                .put("parameters", spec.parameters());
        spec.labels().forEach((name, value) -> text.put("label.name", name).put("label.value", value));
        text.put("ttl", spec.terms().ttl())
                .put("lock-delay", spec.terms().lockDelay())
                .put("max-wait", spec.limits().maxWait())
                .put("max-runtime", spec.limits().maxRuntime())
                .put("expiry-grace", spec.limits().expiryGrace())
                .put("retry.attempts", spec.retry().attempts())
                .put("retry.backoff", spec.retry().backoff())
                .put("retry.multiplier", spec.retry().multiplier())
                .put("retry.max-backoff", spec.retry().maxBackoff());
        spec.transition().ifPresent(guard -> put(text, guard));
        return text.put("submitter", spec.origin().submitter())
                .put("reason", spec.origin().reason())
                .put("correlation", spec.origin().correlation())
                .put("trace", spec.origin().trace())
                .put("line.queue-cap", line.queueCap())
                .put("line.max-running", line.tenantMaxRunning())
                .toString();
    }

    static SpecText read(String written) {
        FieldText text = FieldText.parse(written);
        RunSpec spec = new RunSpec(
                text.need("job", JobName::new),
                text.need("policy", ConflictPolicy::valueOf),
                text.need("execution", Execution::valueOf),
                text.need("priority", Integer::valueOf),
                text.need("parameters"),
                labels(text.takeAll("label.name"), text.takeAll("label.value")),
                new LeaseTerms(text.need("ttl", Duration::parse), text.need("lock-delay", Duration::parse)),
                new RunLimits(
                        text.take("max-wait", Duration::parse),
                        text.take("max-runtime", Duration::parse),
                        text.need("expiry-grace", Duration::parse)),
                new RetryPlan(
                        text.need("retry.attempts", Integer::valueOf),
                        text.need("retry.backoff", Duration::parse),
                        text.need("retry.multiplier", Double::valueOf),
                        text.need("retry.max-backoff", Duration::parse)),
                guard(text),
                new Origin(text.need("submitter"), text.take("reason"), text.take("correlation"), text.take("trace")));
        LineLimits line = new LineLimits(
                text.need("line.queue-cap", Integer::valueOf), text.need("line.max-running", Integer::valueOf));
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

    private static Map<String, String> labels(List<String> names, List<String> values) {
        if (names.size() != values.size()) {
            throw new IllegalArgumentException("has labels without a name or a value");
        }
        Map<String, String> labels = new HashMap<>();
        for (int i = 0; i < names.size(); i++) {
            labels.put(names.get(i), values.get(i));
        }
        return labels;
    }
}
