package io.interlock.engine.http;

import io.interlock.InvalidSettingException;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.RunContext;
import io.interlock.engine.RunHandler;
import io.interlock.engine.RunStoppedException;
import io.interlock.engine.TransientFailureException;
import io.interlock.engine.command.internal.JsonText;
import io.interlock.run.Ending;
import io.interlock.run.StopRequest;
import io.interlock.time.Environment;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Does the work of a job by asking somebody else for it: a POST of {@code {runId, key, tenant, job, attempt, token, parameters}},
 * with the run's id and token also as {@code Interlock-Run-Id} and {@code Interlock-Token}, {@code traceparent} if the run has one,
 * and signed if the {@link HttpSpec} has a signer. Both id and token should go into whatever the other side writes.
 *
 * <ul>
 *   <li>2xx: done. A body that is JSON of at most 64 KiB is the result; any other becomes output, up to {@value #SHOWN} characters.
 *   <li>202: not yet done. The request names where to call back ({@code callback}) and what proves who does ({@code leaseId} and
 *       {@code token}). The run goes on, with its lease renewed, until it is ended by {@link HttpCallbacks} or in the store, is told
 *       to stop, or its max runtime is over; so a job that may answer 202 should have a max runtime.
 *   <li>408, 425, 429, 5xx, no answer, or none that can be understood: trying again may help, after {@code Retry-After} if that is
 *       given, at most {@code 24h}. The other side may have begun: it sees a later attempt with a greater token.
 *   <li>Everything else, redirects among it: trying again cannot help.
 * </ul>
 *
 * <p>When the work must stop, the connection is closed. Safe for use by many threads.
 */
public final class HttpHandler implements RunHandler {

    /** The other side said no. */
    public static final String HTTP_REFUSED = "HTTP_REFUSED";

    /** The other side cannot do it now, or gave no answer. */
    public static final String HTTP_UNAVAILABLE = "HTTP_UNAVAILABLE";

    /** The request may not be sent, or cannot. */
    public static final String HTTP_REQUEST_INVALID = "HTTP_REQUEST_INVALID";

    static final int SHOWN = 500;

    private static final int ACCEPTED = 202;
    private static final Set<Integer> TRY_AGAIN = Set.of(408, 425, 429);

    private final HttpSpec spec;
    private final PinnedHttp http;
    private final HttpCallbacks callbacks;
    private final Environment environment;

    /**
     * Sends {@code spec} for each attempt.
     *
     * @throws InvalidSettingException if {@code http} may not send there
     */
    public HttpHandler(HttpSpec spec, PinnedHttp http, HttpCallbacks callbacks, Environment environment) {
        http.rules().require(spec.url());
        this.spec = spec;
        this.http = http;
        this.callbacks = callbacks;
        this.environment = environment;
    }

    @Override
    public @Nullable String run(RunContext context) throws Exception {
        context.checkpoint();
        CompletableFuture<Ending> callback = callbacks.expect(context.run().id(), context.token());
        try {
            HttpAnswer answer;
            try {
                answer = ask(context);
            } catch (TransientFailureException unclear) {
                if (callback.isDone()) {
                    // The answer was lost, but the work was done.
                    return end(callback.join());
                }
                throw unclear;
            }
            if (answer.status() == ACCEPTED) {
                return await(callback, context);
            }
            if (answer.isSuccess()) {
                return result(answer, context);
            }
            throw failure(answer);
        } finally {
            callbacks.forget(context.run().id(), context.token());
        }
    }

    private HttpAnswer ask(RunContext context) throws Exception {
        byte[] body = RunMessage.body(context, spec.callback());
        try {
            Exchange exchange = http.post(spec.url(), RunMessage.headers(spec, context, body), body, spec.timeout());
            context.onStop(exchange::cancel);
            return exchange.send();
        } catch (CancellationException cancelled) {
            throw stopped(context);
        } catch (ForbiddenAddressException | InvalidSettingException forbidden) {
            throw new PermanentFailureException(
                    HTTP_REQUEST_INVALID, "the request was not sent: " + forbidden.getMessage(), forbidden);
        } catch (IOException failed) {
            throw new TransientFailureException(
                    HTTP_UNAVAILABLE, where() + " gave no answer: " + failed.getMessage(), null, failed);
        }
    }

    private @Nullable String await(CompletableFuture<Ending> callback, RunContext context) throws Exception {
        if (spec.callback() == null) {
            throw new PermanentFailureException(
                    HTTP_REFUSED, where() + " answered 202, but the job names no callback; set one, or answer 200");
        }
        CompletableFuture<Void> stop = new CompletableFuture<>();
        context.onStop(() -> stop.complete(null));
        try {
            CompletableFuture.anyOf(callback, stop).get();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
        if (!callback.isDone()) {
            throw stopped(context);
        }
        return end(callback.join());
    }

    private @Nullable String end(Ending ending) throws Exception {
        if (ending instanceof Ending.Succeeded succeeded) {
            return succeeded.result();
        } else if (ending instanceof Ending.Failed failed && failed.retryable()) {
            throw new TransientFailureException(
                    failed.error().code(), failed.error().message(), failed.rest(), null);
        } else if (ending instanceof Ending.Failed failed) {
            throw new PermanentFailureException(
                    failed.error().code(), failed.error().message());
        } else if (ending instanceof Ending.TimedOut late) {
            throw new PermanentFailureException(
                    late.error().code(), late.error().message());
        }
        Ending.Aborted aborted = (Ending.Aborted) ending;
        throw new RunStoppedException(new StopRequest(
                aborted.error().code(),
                where(),
                aborted.error().message(),
                environment.clock().instant()));
    }

    private @Nullable String result(HttpAnswer answer, RunContext context) {
        if (!answer.cut() && JsonText.isValid(answer.body())) {
            return answer.body();
        }
        if (!answer.body().isBlank()) {
            context.output(shown(answer) + "\n");
        }
        return null;
    }

    private Exception failure(HttpAnswer answer) {
        String shown = shown(answer);
        String message = where() + " answered " + answer.status() + (shown.isEmpty() ? "" : ": " + shown);
        if (TRY_AGAIN.contains(answer.status()) || answer.status() >= 500) {
            Optional<Duration> rest =
                    answer.header("retry-after").flatMap(value -> RetryAfter.parse(value, environment.clock()));
            return new TransientFailureException(HTTP_UNAVAILABLE, message, rest.orElse(null), null);
        }
        return new PermanentFailureException(
                HTTP_REFUSED, answer.status() < 400 ? message + "; redirects are not followed" : message);
    }

    /** The beginning of an answer, fit for people. */
    private static String shown(HttpAnswer answer) {
        String text = answer.body().strip().replaceAll("[\\p{Cntrl}&&[^\\n\\t]]", "\ufffd");
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    }

    private String where() {
        return HttpRules.shown(spec.url());
    }

    private static Exception stopped(RunContext context) {
        Optional<StopRequest> stop = context.stopping();
        // Whoever throws InterruptedException has taken note of the interrupt.
        boolean unused = Thread.interrupted();
        return stop.isPresent()
                ? new RunStoppedException(stop.get())
                : new InterruptedException("interrupted; the request was given up");
    }
}
