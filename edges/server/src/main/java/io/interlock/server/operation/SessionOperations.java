package io.interlock.server.operation;

import io.interlock.access.AccessKey;
import io.interlock.access.SignIn;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.access.AccessRecords;
import io.interlock.server.access.Authentication.Buckets;
import io.interlock.server.api.Api.ServerVersion;
import io.interlock.server.api.Call;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.http.Exchange;
import io.interlock.server.session.Sessions;
import io.interlock.server.session.Sessions.Session;
import io.interlock.service.Facts;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code signIn}, {@code getSession}, {@code signOut}: a cookie for people with browsers. */
public final class SessionOperations {

    /** How many times in a second an address may fail to sign in. */
    private static final int WRONG = 10;

    private final Sessions sessions;
    private final KeyRing keys;
    private final AccessRecords records;
    private final Buckets strangers;
    private final InstantSource clock;

    private SessionOperations(Sessions sessions, KeyRing keys, AccessRecords records, Environment environment) {
        this.sessions = sessions;
        this.keys = keys;
        this.records = records;
        this.strangers = new Buckets(WRONG, environment.ticker());
        this.clock = environment.clock();
    }

    public static void addTo(
            Operations operations, Sessions sessions, KeyRing keys, AccessRecords records, Environment environment) {
        SessionOperations session = new SessionOperations(sessions, keys, records, environment);
        operations.on("signIn", session::signIn).on("getSession", session::get).on("signOut", session::signOut);
    }

    private CompletionStage<Reply> signIn(Call call) {
        String address = Exchange.address(call.context());
        String code = call.body().getString("code");
        Optional<String> shown = code == null ? Optional.of(call.body().getString("apiKey")) : sessions.redeem(code);
        shown.ifPresent(key -> Exchange.PRESENTED.put(call.context(), key));
        // What may be right is looked at all the same: others at the same address, or behind the same proxy, must not
        // lock its owner out.
        if (strangers.isEmpty(address) && shown.filter(keys::mayKnow).isEmpty()) {
            throw Problem.of(ProblemCode.RATE_LIMITED, "This address failed to sign in too often.")
                    .with("limit", WRONG)
                    .retryAfter(Duration.ofSeconds(1));
        }
        CompletionStage<Optional<AccessKey>> known =
                shown.isEmpty() ? CompletableFuture.completedFuture(Optional.empty()) : keys.recognise(shown.get());
        return known.thenCompose(found -> {
            if (found.isEmpty()) {
                strangers.take(address);
                throw Problem.of(ProblemCode.UNAUTHENTICATED, "The API key or code is not one that counts.");
            }
            AccessKey key = found.get();
            // Of two in one browser the older one could not be ended any more.
            return end(call).thenCompose(ended -> sessions.open(key.id(), null)).thenApply(session -> {
                records.signedIn(Exchange.actor(call.context(), key), key, code == null ? "API key" : "one-time code");
                return Reply.ok(json(key, key.tenant(), Optional.of(session)))
                        .header("Set-Cookie", Sessions.setCookie(session.id(), SignIn.LONGEST, isEncrypted(call)));
            });
        });
    }

    private CompletionStage<Reply> get(Call call) {
        return CompletableFuture.completedFuture(
                Reply.ok(json(call.caller().key(), call.tenant(), Exchange.SESSION.in(call.context()))));
    }

    private CompletionStage<Reply> signOut(Call call) {
        // Signing out needs no authentication; the session identifies the user.
        return end(call)
                .thenCompose(ended -> ended.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.<AccessKey>empty())
                        : sessions.keyOf(ended.get(), null))
                .thenApply(found -> {
                    found.ifPresent(key -> records.signedOut(Exchange.actor(call.context(), key), key));
                    return Reply.nothing()
                            .header("Set-Cookie", Sessions.setCookie("", Duration.ZERO, isEncrypted(call)));
                });
    }

    private CompletionStage<Optional<Session>> end(Call call) {
        return Optional.ofNullable(call.context().request().getCookie(Sessions.cookie(isEncrypted(call))))
                .map(cookie -> sessions.close(cookie.getValue()))
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
    }

    private static boolean isEncrypted(Call call) {
        return Exchange.isEncrypted(call.context().request());
    }

    private Facts json(AccessKey key, String tenant, Optional<Session> session) {
        return Facts.with("tenant", tenant)
                .and("role", key.role().name().toLowerCase(Locale.ROOT))
                .and("label", key.label())
                .and("anyTenant", KeyRing.isBootstrap(key))
                .and("tenants", session.map(one -> one.tenants()).orElse(List.of()))
                .and(
                        "provider",
                        session.filter(one -> one.kept().person() != null).isPresent())
                .and("version", ServerVersion.here())
                .and("now", clock.instant())
                .and("csrfToken", session.map(Session::csrfToken).orElse(null));
    }
}
