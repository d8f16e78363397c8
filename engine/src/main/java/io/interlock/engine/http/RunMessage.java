package io.interlock.engine.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.RunContext;
import io.interlock.engine.command.internal.JsonText;
import io.interlock.run.Run;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What is told to the other side about a run. */
final class RunMessage {

    private static final Pattern TRACE = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

    private RunMessage() {}

    /** {@code {runId, key, tenant, job, attempt, token, leaseId?, parameters, callback?}}. */
    static byte[] body(RunContext context, @Nullable String callback) throws PermanentFailureException {
        Run run = context.run();
        String parameters = run.spec().parameters();
        if (!JsonText.isValid(parameters)) {
            throw new PermanentFailureException(HttpHandler.HTTP_REQUEST_INVALID, "the parameters are no JSON");
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = JsonText.FACTORY.createGenerator(bytes)) {
            json.writeStartObject();
            json.writeStringField("runId", run.id().toString());
            json.writeStringField("key", run.key().name());
            json.writeStringField("tenant", run.key().tenant());
            json.writeStringField("job", run.job().value());
            json.writeNumberField("attempt", context.attempt());
            json.writeNumberField("token", context.token().value());
            json.writeFieldName("parameters");
            json.writeRawValue(parameters);
            if (callback != null) {
                json.writeStringField(
                        "callback", callback.replace("{runId}", run.id().toString()));
                // With the token, this proves to any Interlock node that whoever calls back speaks of this attempt.
                if (run.status().turn() != null) {
                    json.writeStringField("leaseId", run.status().turn().lease().toString());
                }
            }
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    static Map<String, String> headers(HttpSpec spec, RunContext context, byte[] body) {
        Run run = context.run();
        Map<String, String> headers = new LinkedHashMap<>(spec.headers());
        headers.put("Interlock-Run-Id", run.id().toString());
        headers.put("Interlock-Token", context.token().toString());
        String trace = run.spec().origin().trace();
        if (trace != null && TRACE.matcher(trace).matches()) {
            headers.put("traceparent", trace);
        }
        if (spec.signer() != null) {
            headers.putAll(spec.signer().sign(run.id() + "-" + context.attempt(), body));
        }
        return headers;
    }
}
