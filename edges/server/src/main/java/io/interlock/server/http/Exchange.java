package io.interlock.server.http;

import io.interlock.Actor;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.server.problem.ErrorShape;
import io.interlock.server.session.Sessions.Session;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** What the handlers of one request leave for each other. */
public final class Exchange {

    /** The API key that was shown, by itself or by a session, right or wrong; a secret. */
    public static final Slot<String> PRESENTED = new Slot<>("interlock.presented");

    /** The session the caller is known by, if it came with a cookie. */
    public static final Slot<Session> SESSION = new Slot<>("interlock.session");

    /** Whether the caller would still be let in: for an answer that takes long. */
    public static final Slot<Supplier<CompletionStage<Boolean>>> STANDING = new Slot<>("interlock.standing");

    /** The operation of a contract that is asked for. */
    public static final Slot<String> OPERATION = new Slot<>("interlock.operation");

    /** The body as it came. */
    public static final Slot<Buffer> BODY = new Slot<>("interlock.body");

    /** The shape of errors on this route. */
    public static final Slot<ErrorShape> SHAPE = new Slot<>("interlock.shape");

    static final Slot<String> REQUEST_ID = new Slot<>("interlock.requestId");
    static final Slot<String> ADDRESS = new Slot<>("interlock.address");

    private static final Slot<Caller> CALLER = new Slot<>("interlock.caller");
    private static final Slot<Map<String, Object>> NOTES = new Slot<>("interlock.notes");

    private Exchange() {}

    /** What one handler of a request leaves for those behind it. */
    public record Slot<T>(String name) {

        public Optional<T> in(RoutingContext context) {
            return Optional.ofNullable(context.get(name));
        }

        public void put(RoutingContext context, T value) {
            context.put(name, value);
        }
    }

    /** The id of the request, the client's own or one made for it. */
    public static String requestId(RoutingContext context) {
        return REQUEST_ID.in(context).orElse("unknown");
    }

    public static String address(RoutingContext context) {
        return ADDRESS.in(context).orElse("unknown");
    }

    /** Who asks, once that is known. */
    public static Optional<Caller> caller(RoutingContext context) {
        return CALLER.in(context);
    }

    public static void caller(RoutingContext context, Caller caller) {
        CALLER.put(context, caller);
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
        HttpServerRequest request = context.request();
        return OPERATION.in(context).orElseGet(() -> request.method() + " " + FailureHandler.shown(request));
    }

    /** Adds a field to the line of the access log. The name is ours, the value may be a client's. */
    public static void note(RoutingContext context, String name, Object value) {
        notes(context).put(name, value);
    }

    static Map<String, Object> notes(RoutingContext context) {
        return NOTES.in(context).orElseGet(() -> {
            Map<String, Object> notes = new LinkedHashMap<>();
            NOTES.put(context, notes);
            return notes;
        });
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
