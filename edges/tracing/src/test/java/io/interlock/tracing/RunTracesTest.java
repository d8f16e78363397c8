package io.interlock.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.engine.EngineBuilder;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.run.Run;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What one run leaves behind in the memory of an exporter, on engines that submit and engines that work. */
@Timeout(60)
class RunTracesTest {

    private static final LockKey KEY = LockKey.of("acme", "ledger");
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "00-" + TRACE + "-b7ad6b7169203331-01";

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build();
    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    private final MemoryStore store = new MemoryStore(Environment.system());
    private final Jobs jobs = Jobs.of(
            Job.named("close")
                    .handler(run -> {
                        seen.add(run.traceparent().orElse("none") + " "
                                + Span.current().getSpanContext().getSpanId());
                        return null;
                    })
                    .build(),
            Job.named("broken")
                    .handler(run -> {
                        throw new PermanentFailureException("BROKEN", "it broke");
                    })
                    .build());

    @AfterEach
    void close() {
        sdk.close();
        store.close();
    }

    @Test
    void oneRunIsOneTraceAcrossTwoProcesses() throws Exception {
        try (RunEngine front = engine().slots(0).build();
                RunEngine worker = engine().build()) {
            Run run = front.submit(RunRequest.of(KEY, "close").trace(PARENT)).orElseThrow();
            assertThat(worker.workers().slots()).isPositive();
            await().until(() -> span("interlock.finish").isPresent());

            SpanData submit = span("interlock.submit").orElseThrow();
            SpanData wait = span("interlock.wait").orElseThrow();
            SpanData attempt = span("interlock.attempt").orElseThrow();
            SpanData finish = span("interlock.finish").orElseThrow();
            assertThat(spans.getFinishedSpanItems())
                    .hasSize(4)
                    .allSatisfy(span -> assertThat(span.getTraceId()).isEqualTo(TRACE));
            assertThat(submit.getParentSpanId()).isEqualTo("b7ad6b7169203331");
            assertThat(Stream.of(wait, attempt, finish).map(SpanData::getParentSpanId))
                    .containsOnly(submit.getSpanId());
            assertThat(links(attempt)).containsExactly(wait.getSpanId());
            assertThat(links(finish)).containsExactly(attempt.getSpanId());
            assertThat(finish.getStartEpochNanos())
                    .isGreaterThanOrEqualTo(attempt.getStartEpochNanos())
                    .isLessThanOrEqualTo(finish.getEndEpochNanos());
            assertThat(wait.getStartEpochNanos()).isLessThanOrEqualTo(wait.getEndEpochNanos());
            assertThat(run.spec().origin().trace())
                    .as("kept with the run")
                    .isEqualTo("00-" + TRACE + "-" + submit.getSpanId() + "-01");
            assertThat(seen.take())
                    .as("the work sees its own span")
                    .isEqualTo("00-" + TRACE + "-" + attempt.getSpanId() + "-01 " + attempt.getSpanId());
            assertThat(attempt.getAttributes().asMap().toString())
                    .contains("acme", "ledger", "close", run.id().toString(), "interlock.token");
        }
    }

    @Test
    void failuresAndRefusalsAreSeen() {
        try (RunEngine engine = engine().build()) {
            Run run = engine.submit(RunRequest.of(KEY, "broken")).orElseThrow();
            await().until(() -> span("interlock.finish").isPresent());
            assertThat(engine.find(run.id()).orElseThrow().state()).isEqualTo(RunState.FAILED);
            assertThat(span("interlock.attempt").orElseThrow().getStatus().getStatusCode())
                    .isEqualTo(StatusCode.ERROR);
            assertThat(span("interlock.finish").orElseThrow().getStatus().getDescription())
                    .isEqualTo("BROKEN");
            spans.reset();
            engine.pause("acme", "*", "carol", "upgrade", (Duration) null);
            engine.submit(RunRequest.of(KEY, "close"));
            assertThat(span("interlock.submit").orElseThrow().getAttributes().toString())
                    .contains("interlock.outcome=rejected");
        }
    }

    @Test
    void withoutAnExporterARunKeepsTheTraceOfItsCaller() throws Exception {
        try (RunEngine engine = RunEngine.builder(store)
                .jobs(jobs)
                .tracer(RunTraces.with(OpenTelemetry.noop()))
                .build()) {
            Run run = engine.submit(RunRequest.of(KEY, "close").trace(PARENT)).orElseThrow();
            assertThat(run.spec().origin().trace()).isEqualTo(PARENT);
            assertThat(seen.take()).startsWith(PARENT);
        }
    }

    private EngineBuilder engine() {
        return RunEngine.builder(store.anotherClient()).jobs(jobs).tracer(RunTraces.with(sdk));
    }

    private Optional<SpanData> span(String name) {
        return spans.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .findFirst();
    }

    private static List<String> links(SpanData span) {
        return span.getLinks().stream()
                .map(LinkData::getSpanContext)
                .map(context -> context.getSpanId())
                .toList();
    }
}
