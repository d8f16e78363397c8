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

    private final RunTraces traces;
    private final Runnable end;

    private TraceExport(RunTraces traces, Runnable end) {
        this.traces = traces;
        this.end = end;
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
        return Optional.of(Sdk.start(service));
    }

    /** The traces that are exported. */
    public RunTraces traces() {
        return traces;
    }

    /** Exports what there is, and ends. */
    @Override
    public void close() {
        end.run();
    }

    /** All that needs classes of OpenTelemetry; the verifier loads some of those that a class names. */
    private static final class Sdk {

        private Sdk() {}

        static TraceExport start(String service) {
            OpenTelemetrySdk sdk = AutoConfiguredOpenTelemetrySdk.builder()
                    // Metrics are Prometheus', and logs are lines, unless the variables say otherwise.
                    .addPropertiesSupplier(() -> Map.of(
                            "otel.service.name", service,
                            "otel.metrics.exporter", "none",
                            "otel.logs.exporter", "none",
                            "otel.exporter.otlp.protocol", "http/protobuf"))
                    .disableShutdownHook()
                    .build()
                    .getOpenTelemetrySdk();
            return new TraceExport(RunTraces.with(sdk), sdk::close);
        }
    }
}
