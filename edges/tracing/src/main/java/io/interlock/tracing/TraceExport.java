package io.interlock.tracing;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Exports the traces of a process as the standard {@code OTEL_} variables say. Without them there is no exporter, and no class
 * of OpenTelemetry is loaded. Safe for use by many threads.
 */
public final class TraceExport implements AutoCloseable {

    private final OpenTelemetrySdk sdk;

    private TraceExport(OpenTelemetrySdk sdk) {
        this.sdk = sdk;
    }

    /**
     * Begins, if {@code variables} name an exporter or the address of a collector.
     *
     * @param service the name of the service, unless the variables have one
     */
    public static Optional<TraceExport> start(String service, Map<String, String> variables) {
        boolean wanted = Stream.of(
                        "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
                .anyMatch(name -> !variables.getOrDefault(name, "").isBlank());
        if (!wanted
                || variables.getOrDefault("OTEL_TRACES_EXPORTER", "").equals("none")
                || variables.getOrDefault("OTEL_SDK_DISABLED", "").equalsIgnoreCase("true")) {
            return Optional.empty();
        }
        // Metrics are Prometheus', and logs are lines, unless the variables say otherwise.
        return Optional.of(new TraceExport(AutoConfiguredOpenTelemetrySdk.builder()
                .addPropertiesSupplier(() -> Map.of(
                        "otel.service.name", service,
                        "otel.metrics.exporter", "none",
                        "otel.logs.exporter", "none",
                        "otel.exporter.otlp.protocol", "http/protobuf"))
                .disableShutdownHook()
                .build()
                .getOpenTelemetrySdk()));
    }

    /** The traces that are exported. */
    public RunTraces traces() {
        return RunTraces.with(sdk);
    }

    /** Exports what there is, and ends. */
    @Override
    public void close() {
        sdk.close();
    }
}
