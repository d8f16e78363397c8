package io.interlock.server.api;

import io.interlock.Actor;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.access.AccessKey;
import io.interlock.engine.RemoteWork;
import io.interlock.server.http.Exchange;
import io.interlock.server.http.Exchange.Caller;
import io.interlock.server.http.HttpServerFactory;
import io.interlock.service.Facts;
import io.interlock.service.Request;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One call of an operation: checked parameters and body, and who makes it. */
public final class Call {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private static final Pattern PREFER_WAIT = Pattern.compile("(?:^|[,;\\s])wait=\"?(\\d{1,6})\"?(?:$|[,;\\s])");

    private static final Pattern TRACEPARENT = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

    private static final int MAX_LABEL = 60;

    private final RoutingContext context;
    private final Map<String, Object> parameters;
    private final JsonObject body;
    private final Executor loop;
    private final CompletableFuture<@Nullable Void> over = new CompletableFuture<>();

    Call(RoutingContext context, Map<String, Object> parameters, JsonObject body) {
        this.context = context;
        this.parameters = parameters;
        this.body = body;
        Context own = context.vertx().getOrCreateContext();
        this.loop = task -> own.runOnContext(now -> task.run());
        context.addEndHandler(ended -> over.complete(null));
    }

    /** The request that makes it. */
    public RoutingContext context() {
        return context;
    }

    /** Not to be asked for on a public operation. */
    public Caller caller() {
        return Exchange.caller(context)
                .orElseThrow(() -> new IllegalStateException("a public operation asks who calls"));
    }

    /** Who makes it, by which request and from where, as the audit log has it. */
    public Actor actor() {
        return new Actor(caller().actor(), requestId(), Exchange.address(context));
    }

    public String tenant() {
        return caller().tenant();
    }

    /** A client that calls itself {@code name}. The same API key and name are the same holder on every node. */
    public Holder holder(String name) {
        UUID hash = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
        return new Holder("key " + caller().key().id() + " " + hash, name);
    }

    /** A client without a name of its own, which asks for the grant {@code lease}. */
    public RemoteWork.Caller worker(LeaseId lease) {
        AccessKey key = caller().key();
        String label = key.label().length() > MAX_LABEL ? key.label().substring(0, MAX_LABEL) : key.label();
        return new RemoteWork.Caller(lease, new Holder("key " + key.id(), label));
    }

    public String requestId() {
        return Exchange.requestId(context);
    }

    /**
     * Runs tasks on the event loop of this call, which must not block. The answer is sent from there: what makes it up runs there,
     * too, rather than on a thread of the store on which other calls wait.
     */
    public Executor loop() {
        return loop;
    }

    public JsonObject body() {
        return body;
    }

    /** A parameter the contract requires or gives a default. */
    public <T> T required(String name, Class<T> type) {
        return type.cast(Objects.requireNonNull(parameters.get(name), name));
    }

    public <T> Optional<T> optional(String name, Class<T> type) {
        return Optional.ofNullable(parameters.get(name)).map(type::cast);
    }

    /** The words of a parameter that is a list; none if it is not given. */
    public List<String> words(String name) {
        return optional(name, JsonArray.class).stream()
                .flatMap(JsonArray::stream)
                .map(String::valueOf)
                .toList();
    }

    /** This call for the operations that know nothing of HTTP. */
    public Request request() {
        return new Request(tenant(), actor(), Facts.of(parameters), Facts.of(body.getMap()));
    }

    /** Whether the caller would still be let in: its key may be taken back and its session end while an answer goes on. */
    public CompletionStage<Boolean> isStillKnown() {
        return Exchange.STANDING
                .in(context)
                .map(Supplier::get)
                .orElseGet(() -> CompletableFuture.completedFuture(true));
    }

    public Optional<Duration> duration(String field) {
        return Optional.ofNullable(body.getString(field)).map(text -> Request.duration("/" + field, text));
    }

    /** How long the caller is willing to wait for an answer: field {@code wait} or header {@code Prefer}, at most 30 s. */
    public Duration patience() {
        return atMost(duration("wait").orElseGet(this::preferred));
    }

    /** How long the caller is willing to wait for an answer: parameter {@code wait}, at most 30 s. */
    public Duration patienceByParameter() {
        return atMost(optional("wait", String.class)
                .map(text -> Request.unlimited("query/wait", text))
                .orElse(Duration.ZERO));
    }

    private static Duration atMost(Duration wanted) {
        return wanted.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wanted;
    }

    /** Whether the caller is willing to wait for an answer, by a field, a header or a parameter {@code wait}. */
    boolean asksToWait() {
        return parameters.containsKey("wait") || !patience().isZero();
    }

    private Duration preferred() {
        String prefer = context.request().getHeader("Prefer");
        Matcher wait = PREFER_WAIT.matcher(prefer == null ? "" : prefer);
        return wait.find() ? Duration.ofSeconds(Long.parseLong(wait.group(1))) : Duration.ZERO;
    }

    /** The W3C trace the call belongs to, if it is one. */
    public Optional<String> traceparent() {
        return Optional.ofNullable(context.request().getHeader("traceparent"))
                .filter(trace -> TRACEPARENT.matcher(trace).matches());
    }

    /** Ends the connection at once, whatever is left to send: for a client that does not read. */
    public void hangUp() {
        HttpServerFactory.hangUp(context.request().connection());
    }

    /** Runs {@code action} when the client goes away or has its answer; at once if that is so. From any thread. */
    public void whenOver(Runnable action) {
        CompletionStage<@Nullable Void> end = over;
        end.thenRun(action);
    }

    /** Runs {@code action} on the event loop of this call every {@code period}, until it is over. */
    void everyUntilOver(Duration period, Runnable action) {
        Vertx vertx = context.vertx();
        long timer = vertx.setPeriodic(period.toMillis(), tick -> action.run());
        whenOver(() -> vertx.cancelTimer(timer));
    }
}
