package io.interlock.engine.handler;

import io.interlock.InvalidSettingException;
import io.interlock.LeaseTerms;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.RunContext;
import io.interlock.engine.RunHandler;
import io.interlock.engine.RunHandler.WorkGoesOnException;
import io.interlock.engine.TransientFailureException;
import io.interlock.engine.WorkContext.RunStoppedException;
import io.interlock.engine.http.HttpAnswer;
import io.interlock.engine.http.HttpExchange;
import io.interlock.engine.http.HttpRules;
import io.interlock.engine.http.HttpSpec;
import io.interlock.engine.http.JsonObject;
import io.interlock.engine.http.PinnedHttp;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.Run;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers.Scheduled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Does the work of a job by asking another service for it: a POST of {@code {runId, key, tenant, job, attempt, token, parameters}},
 * with the run's id and token also as {@code Interlock-Run-Id} and {@code Interlock-Token}, {@code traceparent} if the run has one,
 * and signed if the {@link HttpSpec} has a signer. Both id and token should go into whatever the other side writes.
 *
 * <ul>
 *   <li>2xx: done. A body that is JSON of at most 64 KiB is the result; any other becomes output, up to {@value #SHOWN} characters.
 *   <li>202: not yet done. The request names where to call back ({@code callback}) and what proves who does ({@code leaseId} and
 *       {@code token}). The run goes on, with its lease renewed, until its end is told with these to any engine of the store, it is
 *       told to stop, or its max runtime is over; so a job that may answer 202 should have a max runtime. A service that may outlive
 *       this process renews the lease itself, by heartbeats with the same proof.
 *   <li>408, 425, 429, 5xx, no answer, or none that can be understood: trying again may help, after {@code Retry-After} if that is
 *       given, at most {@code 24h}. The other side may have begun: it sees a later attempt with a greater token.
 *   <li>Everything else, redirects among it: trying again cannot help.
 * </ul>
 *
 * <p>The key is not released under work that may still go on. If the request was sent and no complete answer came, or 502, 504, 520,
 * 524 or a 503 without {@code Retry-After}, by which a proxy says that it knows no more: the key is kept for the time of a
 * lease and its lock delay, and only then does the attempt fail; with a callback, the lease is left to end by itself, or to the other
 * side. If the work must stop after the request was sent, the connection is closed, and the lease is left in the same way. What could
 * not be sent fails at once. Any other answer is taken at its word: the service works no more.
 *
 * <p>Safe for use by many threads.
 */
public record HttpHandler(HttpSpec spec, PinnedHttp http, Environment environment) implements RunHandler {

    /** The other side said no. */
    public static final String HTTP_REFUSED = "HTTP_REFUSED";

    /** The other side cannot do it now, or gave no answer. */
    public static final String HTTP_UNAVAILABLE = "HTTP_UNAVAILABLE";

    /** The request may not be sent, or cannot. */
    public static final String HTTP_REQUEST_INVALID = "HTTP_REQUEST_INVALID";

    static final int SHOWN = 500;

    private static final int ACCEPTED = 202;
    private static final Set<Integer> TRY_AGAIN = Set.of(408, 425, 429);

    /** Said by proxies that gave up waiting or lost the connection: the service may work on. */
    private static final Set<Integer> UNCLEAR = Set.of(502, 504, 520, 524);

    /** Said by a service that turns a request away, and by proxies whose connection to it broke; only the former says until when. */
    private static final int UNAVAILABLE = 503;

    /** However long the other side wants its rest. */
    static final Duration LONGEST_REST = Duration.ofDays(1);

    private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");
    private static final Pattern TRACE = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

    /**
     * Sends {@code spec} for each attempt.
     *
     * @throws InvalidSettingException if {@code http} may not send there
     */
    public HttpHandler {
        http.rules().require(spec.url());
    }

    @Override
    public @Nullable String run(RunContext context) throws Exception {
        context.checkpoint();
        HttpAnswer answer = ask(context);
        if (answer.status() == ACCEPTED) {
            throw accepted(context);
        }
        if (answer.isSuccess()) {
            return result(answer, context);
        }
        Exception failure = failure(answer);
        throw isUnclear(answer) ? unclear(context, failure) : failure;
    }

    private static boolean isUnclear(HttpAnswer answer) {
        boolean knowsNoTime = answer.header("retry-after").isEmpty();
        return UNCLEAR.contains(answer.status()) || (answer.status() == UNAVAILABLE && knowsNoTime);
    }

    private HttpAnswer ask(RunContext context) throws Exception {
        byte[] body = body(context, spec.callback());
        HttpExchange exchange = prepared(context, body);
        Scheduled stop = context.onStop(exchange::cancel);
        try {
            return exchange.send();
        } catch (CancellationException cancelled) {
            throw exchange.isSent() ? left(context, cancelled) : stopped(context);
        } catch (PinnedHttp.ForbiddenAddressException forbidden) {
            throw notSent(forbidden);
        } catch (IOException failed) {
            Exception failure = new TransientFailureException(
                    HTTP_UNAVAILABLE, where() + " gave no answer: " + failed.getMessage(), null, failed);
            throw exchange.isSent() ? unclear(context, failure) : failure;
        } catch (RuntimeException | Error failed) {
            if (!exchange.isSent()) {
                throw failed;
            }
            throw unclear(
                    context,
                    new TransientFailureException(
                            HTTP_UNAVAILABLE, where() + " was asked, and then came " + failed, null, failed));
        } finally {
            stop.cancel();
        }
    }

    private HttpExchange prepared(RunContext context, byte[] body) throws PermanentFailureException {
        try {
            return http.post(spec.url(), headers(spec, context, body), body, spec.timeout());
        } catch (InvalidSettingException forbidden) {
            throw notSent(forbidden);
        }
    }

    private static PermanentFailureException notSent(Exception forbidden) {
        return new PermanentFailureException(
                HTTP_REQUEST_INVALID, "the request was not sent: " + forbidden.getMessage(), forbidden);
    }

    /** A report of its end stops it, as a request to stop does. */
    private Exception accepted(RunContext context) {
        if (spec.callback() == null) {
            return unclear(
                    context,
                    new PermanentFailureException(
                            HTTP_REFUSED,
                            where() + " answered 202, but the job names no callback; set one, or answer 200"));
        }
        return left(context, awaitStop(context, null));
    }

    /**
     * It is not known whether the other side works on. So the key is kept from others, and the request is not sent again, for as long as
     * after a crash of this process.
     */
    private Exception unclear(RunContext context, Exception failure) {
        context.output(failure.getMessage() + "; it may work on, so the key is not opened at once\n");
        if (spec.callback() != null) {
            // It knows the lease, and may still keep it alive, or call back with it.
            return new WorkGoesOnException(String.valueOf(failure.getMessage()), failure);
        }
        LeaseTerms terms = context.run().spec().terms();
        InterruptedException stopped = awaitStop(context, terms.ttl().plus(terms.lockDelay()));
        return stopped != null || context.stopping().isPresent() ? left(context, stopped) : failure;
    }

    /** Waits until the work must stop, or for a limited time; an interrupt is a stop, too. */
    private @Nullable InterruptedException awaitStop(RunContext context, @Nullable Duration limit) {
        CountDownLatch over = new CountDownLatch(1);
        Scheduled stop = context.onStop(over::countDown);
        Scheduled end = limit == null ? () -> {} : http.timers().after(limit, over::countDown);
        try {
            over.await();
            return null;
        } catch (InterruptedException interrupted) {
            return interrupted;
        } finally {
            stop.cancel();
            end.cancel();
        }
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
                    answer.header("retry-after").flatMap(value -> retryAfter(value, environment.clock()));
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
        // An InterruptedException says that the interrupt was noted.
        boolean unused = Thread.interrupted();
        return stop.isPresent()
                ? new RunStoppedException(stop.get())
                : new InterruptedException("interrupted; the request was given up");
    }

    /** It must stop, and cannot make the other side stop. */
    private Exception left(RunContext context, @Nullable Exception cause) {
        boolean unused = Thread.interrupted();
        String why = context.stopping().map(StopRequest::reason).orElse("interrupted");
        return new WorkGoesOnException(why + ", and " + where() + " may work on", cause);
    }

    /** Reads {@code Retry-After}: seconds, or a date. */
    static Optional<Duration> retryAfter(String value, InstantSource clock) {
        Duration rest;
        if (SECONDS.matcher(value).matches()) {
            rest = Duration.ofSeconds(Long.parseLong(value));
        } else {
            try {
                rest = Duration.between(
                        clock.instant(), Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(value)));
            } catch (DateTimeException nonsense) {
                return Optional.empty();
            }
        }
        if (rest.isNegative()) {
            return Optional.of(Duration.ZERO);
        }
        return Optional.of(rest.compareTo(LONGEST_REST) > 0 ? LONGEST_REST : rest);
    }

    /** {@code {runId, key, tenant, job, attempt, token, leaseId?, parameters, callback?}}. */
    private static byte[] body(RunContext context, @Nullable String callback) throws PermanentFailureException {
        Run run = context.run();
        String parameters = run.spec().parameters();
        if (!JsonText.isValid(parameters)) {
            throw new PermanentFailureException(HTTP_REQUEST_INVALID, "the parameters are no JSON");
        }
        JsonObject json = new JsonObject()
                .with("runId", run.id())
                .with("key", run.key().name())
                .with("tenant", run.key().tenant())
                .with("job", run.job())
                .with("attempt", context.attempt())
                .with("token", context.token().value())
                .with("parameters", new JsonObject.Raw(parameters));
        if (callback != null) {
            Turn turn = run.status().turn();
            json.with("callback", callback.replace("{runId}", run.id().toString()))
                    // With the token, this proves to any Interlock node that a callback is about this attempt.
                    .with("leaseId", turn == null ? null : turn.lease());
        }
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, String> headers(HttpSpec spec, RunContext context, byte[] body) {
        Run run = context.run();
        Map<String, String> headers = new LinkedHashMap<>(spec.headers());
        headers.put("Interlock-Run-Id", run.id().toString());
        headers.put("Interlock-Token", context.token().toString());
        context.traceparent()
                .filter(trace -> TRACE.matcher(trace).matches())
                .ifPresent(trace -> headers.put("traceparent", trace));
        if (spec.signer() != null) {
            headers.putAll(spec.signer().sign(run.id() + "-" + context.attempt(), body));
        }
        return headers;
    }
}
