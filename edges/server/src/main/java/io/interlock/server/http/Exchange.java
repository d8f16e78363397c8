package io.interlock.server.http;

import io.interlock.Actor;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.server.access.Sessions.Session;
import io.interlock.server.problem.ErrorShape;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** What the handlers of one request leave for each other. */
public final class Exchange {

    private static final String REQUEST_ID = "interlock.requestId";
    private static final String ADDRESS = "interlock.address";
    private static final String CALLER = "interlock.caller";
    private static final String SESSION = "interlock.session";
    private static final String STANDING = "interlock.standing";
    private static final String OPERATION = "interlock.operation";
    private static final String PRESENTED = "interlock.presented";
    private static final String BODY = "interlock.body";
    private static final String NOTES = "interlock.notes";
    private static final String SHAPE = "interlock.shape";

    private Exchange() {}

    /** The id of the request, the client's own or one made for it. */
    public static String requestId(RoutingContext context) {
        return Objects.requireNonNullElse(context.get(REQUEST_ID), "unknown");
    }

    static void requestId(RoutingContext context, String id) {
        context.put(REQUEST_ID, id);
    }

    public static String address(RoutingContext context) {
        return Objects.requireNonNullElse(context.get(ADDRESS), "unknown");
    }

    static void address(RoutingContext context, String address) {
        context.put(ADDRESS, address);
    }

    /** Who asks, once that is known. */
    public static Optional<Caller> caller(RoutingContext context) {
        return Optional.ofNullable(context.get(CALLER));
    }

    public static void caller(RoutingContext context, Caller caller) {
        context.put(CALLER, caller);
        note(context, "tenant", caller.tenant());
        note(context, "apiKey", caller.key().id());
    }

    /** {@code key} as the one who asks, as the audit log has it. */
    public static Actor actor(RoutingContext context, AccessKey key) {
        return new Actor(new Caller(key, key.tenant()).actor(), requestId(context), address(context));
    }

    /** Whether the client's connection is encrypted, here or, as it says, at a proxy in front. */
    public static boolean isEncrypted(HttpServerRequest request) {
        return request.isSSL() || "https".equals(request.getHeader("X-Forwarded-Proto"));
    }

    /** What is asked for: an operation of a contract, else method and path. */
    public static String operation(RoutingContext context) {
        String operation = context.get(OPERATION);
        return operation == null
                ? context.request().method() + " " + FailureHandler.shown(context.request())
                : operation;
    }

    public static void operation(RoutingContext context, String operation) {
        context.put(OPERATION, operation);
    }

    /** The API key that was shown, by itself or by a session, right or wrong; a secret. */
    public static Optional<String> presented(RoutingContext context) {
        return Optional.ofNullable(context.get(PRESENTED));
    }

    public static void presented(RoutingContext context, String key) {
        context.put(PRESENTED, key);
    }

    /** The session the caller is known by, if it came with a cookie. */
    public static Optional<Session> session(RoutingContext context) {
        return Optional.ofNullable(context.get(SESSION));
    }

    public static void session(RoutingContext context, Session session) {
        context.put(SESSION, session);
    }

    /** Whether the caller would still be let in: for an answer that takes long. */
    public static CompletionStage<Boolean> isStillKnown(RoutingContext context) {
        Supplier<CompletionStage<Boolean>> standing = context.get(STANDING);
        return standing == null ? CompletableFuture.completedFuture(true) : standing.get();
    }

    public static void standing(RoutingContext context, Supplier<CompletionStage<Boolean>> standing) {
        context.put(STANDING, standing);
    }

    /** The body as it came, empty if there was none. */
    public static Buffer body(RoutingContext context) {
        return Objects.requireNonNullElseGet(context.get(BODY), Buffer::buffer);
    }

    static void body(RoutingContext context, Buffer body) {
        context.put(BODY, body);
    }

    /** The shape of errors on this route. */
    public static ErrorShape shape(RoutingContext context) {
        return Objects.requireNonNullElse(context.get(SHAPE), ErrorShape.PROBLEM);
    }

    public static void shape(RoutingContext context, ErrorShape shape) {
        context.put(SHAPE, shape);
    }

    /** Adds a field to the line of the access log. The name is ours, the value may be a client's. */
    public static void note(RoutingContext context, String name, Object value) {
        notes(context).put(name, value);
    }

    static Map<String, Object> notes(RoutingContext context) {
        Map<String, Object> notes = context.get(NOTES);
        if (notes == null) {
            notes = new LinkedHashMap<>();
            context.put(NOTES, notes);
        }
        return notes;
    }

    /**
     * Who asks.
     *
     * @param tenant for whom it acts: the key's tenant, or, for the bootstrap key, the one it named
     */
    public record Caller(AccessKey key, String tenant) {

        /** Whether it may do what {@code needed} is needed for. */
        public boolean may(Role needed) {
            return key.role().includes(needed);
        }

        /** As it stands in the audit log. */
        public String actor() {
            return "key " + key.id() + " (" + key.label() + ")";
        }
    }
}
