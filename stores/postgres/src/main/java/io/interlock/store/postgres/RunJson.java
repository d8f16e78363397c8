package io.interlock.store.postgres;

import io.interlock.run.Origin;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.Transition;
import io.interlock.spi.run.SubmitRequest;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is asked for, as JSON objects whose fields are columns of the table of runs. Belongs to one thread. */
final class RunJson {

    private final StringBuilder text = new StringBuilder("[");

    private RunJson() {}

    /** An array with an object for each request, in order. */
    static String of(List<SubmitRequest> requests) {
        RunJson json = new RunJson();
        for (SubmitRequest request : requests) {
            json.text.append(json.text.length() == 1 ? "{" : ",{");
            json.write(request);
            json.text.append('}');
        }
        return json.text.append(']').toString();
    }

    private void write(SubmitRequest request) {
        RunSpec spec = request.spec();
        text("id", request.id().toString());
        text("job", spec.job().value());
        text("policy", spec.policy().name());
        text("execution", spec.execution().name());
        number("priority", spec.priority());
        text("parameters", Texts.exact("parameters", spec.parameters()));
        texts(
                "labels",
                spec.labels().entrySet().stream()
                        .flatMap(label -> Stream.of(label.getKey(), label.getValue()))
                        .map(part -> Texts.exact("label", part))
                        .toList());
        number("ttl", AnswerRow.micros(spec.terms().ttl()));
        number("lock_delay", AnswerRow.micros(spec.terms().lockDelay()));
        number("queue_cap", request.line().queueCap());
        number("max_running", request.line().tenantMaxRunning());
        write(spec.limits());
        write(spec.retry());
        write(spec.origin());
        Transition guard = spec.guard();
        if (guard != null) {
            write(guard);
        }
    }

    private void write(RunLimits limits) {
        number("max_wait", Texts.microsOrNull(limits.maxWait()));
        number("max_runtime", Texts.microsOrNull(limits.maxRuntime()));
        number("expiry_grace", Texts.micros(limits.expiryGrace()));
    }

    private void write(RetryPlan retry) {
        number("retry_attempts", retry.attempts());
        number("retry_backoff", Texts.micros(retry.backoff()));
        number("retry_multiplier", retry.multiplier());
        number("retry_longest", Texts.micros(retry.maxBackoff()));
    }

    private void write(Origin origin) {
        text("submitter", Texts.exact("submitter", origin.submitter()));
        text("reason", Texts.exactOrNull("reason", origin.reason()));
        text("correlation", Texts.exactOrNull("correlation", origin.correlation()));
        text("trace", Texts.exactOrNull("traceparent", origin.trace()));
    }

    private void write(Transition guard) {
        text("guard_kind", Texts.exact("transition", guard.resource()));
        texts(
                "guard_from",
                guard.from().stream()
                        .map(state -> Texts.exact("transition.from", state))
                        .toList());
        text("guard_during", Texts.exact("transition.during", guard.during()));
        text("guard_success", Texts.exact("transition.success", guard.success()));
        text("guard_failure", Texts.exact("transition.failure", guard.failure()));
    }

    private void text(String name, @Nullable String value) {
        if (value != null) {
            field(name);
            quoted(value);
        }
    }

    private void number(String name, @Nullable Number value) {
        if (value != null) {
            field(name);
            text.append(value);
        }
    }

    private void texts(String name, Collection<String> values) {
        field(name);
        String separator = "[";
        for (String value : values) {
            text.append(separator);
            quoted(value);
            separator = ",";
        }
        text.append(values.isEmpty() ? "[]" : "]");
    }

    private void field(String name) {
        if (text.charAt(text.length() - 1) != '{') {
            text.append(',');
        }
        quoted(name);
        text.append(':');
    }

    private void quoted(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
