package io.interlock.tracing;

import io.interlock.BoundedMap;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.EngineTracer;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.WorkContext.RunStoppedException;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.Run;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.time.Instant;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The traces of runs. A submission is a span below the caller's, and its context is kept with the run; in whichever process the
 * work is done, the wait, the attempt and its finish are spans of the same trace:
 *
 * <ul>
 *   <li>{@code interlock.submit}: from the request to the answer of the store;
 *   <li>{@code interlock.wait}: from the submission to the first attempt;
 *   <li>{@code interlock.attempt}: the work of a handler, with a link to its wait. It is the current span of the handler's
 *       thread, and {@code TRACEPARENT} of a command or {@code traceparent} of a request names it;
 *   <li>{@code interlock.finish}: from the end of the work until the store knows it, or the moment at which a rule ended the
 *       run, with a link to the attempt if that was here.
 * </ul>
 *
 * <p>Parameters and results are not recorded. Safe for use by many threads.
 */
public final class RunTraces implements EngineTracer {

    private static final Pattern TRACEPARENT = Pattern.compile("00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})");
    private static final AttributeKey<String> TENANT = AttributeKey.stringKey("interlock.tenant");
    private static final AttributeKey<String> KEY = AttributeKey.stringKey("interlock.key");
    private static final AttributeKey<String> JOB = AttributeKey.stringKey("interlock.job");
    private static final AttributeKey<String> RUN = AttributeKey.stringKey("interlock.run");
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("interlock.outcome");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("interlock.attempt");
    private static final AttributeKey<Long> TOKEN = AttributeKey.longKey("interlock.token");

    // Work whose end is never told, because its lease was lost, is forgotten by and by.
    private static final int MOST_ENDED = 10_000;

    private final Tracer tracer;
    private final Map<RunId, Worked> worked = Collections.synchronizedMap(BoundedMap.ofNewest(MOST_ENDED));

    /** An attempt whose work has ended here. */
    private record Worked(SpanContext attempt, Instant endedAt) {}

    private RunTraces(OpenTelemetry telemetry) {
        tracer = telemetry.getTracer("io.interlock");
    }

    /** Traces with {@code telemetry}, which is not closed with them. */
    public static RunTraces with(OpenTelemetry telemetry) {
        return new RunTraces(telemetry);
    }

    @Override
    public Submitting submitting(RunRequest request) {
        Context parent = request.trace().map(RunTraces::parent).orElseGet(Context::current);
        Span span = tracer.spanBuilder("interlock.submit")
                .setParent(parent)
                .setSpanKind(SpanKind.PRODUCER)
                .setAttribute(TENANT, request.key().tenant())
                .setAttribute(KEY, request.key().name())
                .setAttribute(JOB, request.job().value())
                .startSpan();
        RunRequest traced =
                span.getSpanContext().isValid() ? request.trace(traceparent(span.getSpanContext())) : request;
        return new Submitting() {
            @Override
            public RunRequest request() {
                return traced;
            }

            @Override
            public void ended(@Nullable Submission answer, @Nullable Throwable failure) {
                if (answer != null) {
                    span.setAttribute(OUTCOME, outcome(answer));
                    answer.run()
                            .ifPresent(run -> span.setAttribute(RUN, run.id().toString()));
                }
                failed(span, failure);
                span.end();
            }
        };
    }

    @Override
    @SuppressWarnings("MustBeClosedChecker") // The end of the work closes the scope, on the same thread.
    public TracedWork working(Run run) {
        Context parent = parent(run);
        Turn turn = run.status().turn();
        SpanBuilder builder = begin("interlock.attempt", run, parent).setSpanKind(SpanKind.CONSUMER);
        if (turn != null) {
            builder.setAttribute(ATTEMPT, (long) turn.attempt())
                    .setAttribute(TOKEN, turn.token().value());
            if (turn.attempt() == 1) {
                Span wait = begin("interlock.wait", run, parent)
                        .setStartTimestamp(run.submittedAt())
                        .startSpan();
                wait.end(turn.startedAt().isBefore(run.submittedAt()) ? run.submittedAt() : turn.startedAt());
                builder.addLink(wait.getSpanContext());
            }
        }
        Span span = builder.startSpan();
        Scope scope = span.makeCurrent();
        return new TracedWork() {
            @Override
            public @Nullable String traceparent() {
                return span.getSpanContext().isValid()
                        ? RunTraces.traceparent(span.getSpanContext())
                        : run.spec().origin().trace();
            }

            @Override
            public void ended(@Nullable Throwable failure, Instant at) {
                scope.close();
                failed(span, failure instanceof RunStoppedException ? null : failure);
                if (failure instanceof RunStoppedException) {
                    span.setAttribute(OUTCOME, "stopped");
                }
                span.end();
                worked.put(run.id(), new Worked(span.getSpanContext(), at));
            }
        };
    }

    @Override
    public void on(EngineEvent event) {
        if (event instanceof EngineEvent.AttemptEnded ended) {
            finished(ended.run(), ended.run().state(), worked.remove(ended.run().id()));
        } else if (event instanceof EngineEvent.RunEnded ended) {
            finished(ended.run(), ended.run().state(), null);
        } else if (event instanceof EngineEvent.EndedByRule ended) {
            finished(ended.run(), ended.after(), null);
        } else if (event instanceof EngineEvent.LeaseLost lost) {
            worked.remove(lost.run().id());
        }
    }

    // What was submitted without a trace has none: a lone span would say little.
    private void finished(Run run, RunState after, @Nullable Worked before) {
        if (run.spec().origin().trace() == null) {
            return;
        }
        SpanBuilder builder = begin("interlock.finish", run, parent(run))
                .setAttribute(OUTCOME, after.name().toLowerCase(Locale.ROOT));
        if (before != null) {
            builder.addLink(before.attempt()).setStartTimestamp(before.endedAt());
        }
        Span span = builder.startSpan();
        if (after.isTerminal() && after != RunState.SUCCEEDED && after != RunState.ABORTED) {
            span.setStatus(
                    StatusCode.ERROR,
                    run.status().error() == null ? "" : run.status().error().code());
        }
        span.end();
    }

    private SpanBuilder begin(String name, Run run, Context parent) {
        return tracer.spanBuilder(name)
                .setParent(parent)
                .setAttribute(TENANT, run.key().tenant())
                .setAttribute(KEY, run.key().name())
                .setAttribute(JOB, run.job().value())
                .setAttribute(RUN, run.id().toString());
    }

    private static void failed(Span span, @Nullable Throwable failure) {
        if (failure != null) {
            span.recordException(failure);
            span.setStatus(StatusCode.ERROR);
        }
    }

    private static String outcome(Submission answer) {
        return answer.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    private static Context parent(Run run) {
        String trace = run.spec().origin().trace();
        return trace == null ? Context.root() : parent(trace);
    }

    /** The context of a {@code traceparent}; the root if it is none. */
    private static Context parent(String traceparent) {
        Matcher found = TRACEPARENT.matcher(traceparent);
        if (!found.matches()) {
            return Context.root();
        }
        SpanContext remote = SpanContext.createFromRemoteParent(
                found.group(1), found.group(2), TraceFlags.fromHex(found.group(3), 0), TraceState.getDefault());
        return remote.isValid() ? Context.root().with(Span.wrap(remote)) : Context.root();
    }

    private static String traceparent(SpanContext context) {
        return "00-" + context.getTraceId() + "-" + context.getSpanId() + "-"
                + context.getTraceFlags().asHex();
    }
}
