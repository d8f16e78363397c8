/**
 * Traces of runs with OpenTelemetry: {@link io.interlock.tracing.RunTraces} for any {@code OpenTelemetry},
 * {@link io.interlock.tracing.TraceExport} for a process that is configured by {@code OTEL_} variables.
 */
@NullMarked
package io.interlock.tracing;

import org.jspecify.annotations.NullMarked;
