package io.interlock.server.access;

import io.interlock.Actor;
import io.interlock.Sha256;
import io.interlock.access.AccessKey;
import io.interlock.access.SignIn;
import io.interlock.access.SignIn.Person;
import io.interlock.config.OidcSettings;
import io.interlock.server.http.Exchange;
import io.interlock.server.session.Sessions;
import io.interlock.server.session.Sessions.Session;
import io.interlock.server.session.Sessions.Tokens;
import io.interlock.service.PlainText;
import io.interlock.time.Environment;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sign-in of people with an OpenID provider, by the authorization code flow with PKCE: {@code /auth/oidc} leads to the provider,
 * {@code /auth/oidc/callback} comes back from it and opens a session, {@code /auth/oidc/end} ends the session at the provider.
 *
 * <p>State, nonce and PKCE verifier are made from a secret in a cookie of the browser, so any node can end what another began. A failed
 * sign-in leads to the sign-in page, with a code that says why. Safe for use by many threads.
 */
public final class OidcRoutes {

    private static final Logger log = LoggerFactory.getLogger(OidcRoutes.class);

    private static final String START = "/auth/oidc";
    private static final String CALLBACK = START + "/callback";
    private static final String END = START + "/end";
    private static final String COOKIE = "interlock_oidc";

    /** How long a person may take at the provider. */
    static final Duration LIFETIME = Duration.ofMinutes(10);

    private static final int MOST_USED = 10_000;

    /** A page of the UI: never another host, never above its root. */
    private static final Pattern PAGE =
            Pattern.compile("(?!.*\\.\\.)[A-Za-z0-9][A-Za-z0-9/_-]{0,200}([?][^\\s\\\\#]{0,1000})?");

    private final OidcSettings settings;
    private final OidcProvider provider;
    private final ClaimRoles roles;
    private final Sessions sessions;
    private final AccessRecords records;
    private final Environment environment;

    // States that came back, and when, by the ticker. The oldest comes first.
    private final Map<String, Long> used = new LinkedHashMap<>();

    /** Signs in with the provider of {@code settings}; {@code records} gets who signed in, and who was refused. */
    public OidcRoutes(
            OidcSettings settings, Sessions sessions, AccessRecords records, Environment environment, Vertx vertx) {
        this.settings = settings;
        this.provider = new OidcProvider(settings, environment, vertx);
        this.roles = new ClaimRoles(settings);
        this.sessions = sessions;
        this.records = records;
        this.environment = environment;
    }

    public void addTo(Router router) {
        router.get(START).handler(this::start);
        router.get(CALLBACK).handler(this::callback);
        router.get(END).handler(this::end);
    }

    private void start(RoutingContext context) {
        String to = Optional.ofNullable(context.request().getParam("to")).orElse("");
        if (!to.isEmpty() && !PAGE.matcher(to).matches()) {
            fail(context, START, "page");
            return;
        }
        Attempt attempt = new Attempt(Tokens.draw(environment.random()), to);
        provider.document()
                .map(document -> OidcProvider.address(document, "authorization_endpoint"))
                .onSuccess(endpoint -> {
                    HttpServerResponse response = context.response();
                    response.addCookie(cookie(context, attempt.text(), LIFETIME));
                    leave(
                            response,
                            endpoint + (endpoint.contains("?") ? "&" : "?")
                                    + "response_type=code&client_id=" + encoded(settings.clientId())
                                    + "&redirect_uri=" + encoded(redirect(context))
                                    + "&scope=" + encoded(String.join(" ", settings.scopes()))
                                    + "&state=" + attempt.state() + "&nonce=" + attempt.nonce()
                                    + "&code_challenge=" + attempt.challenge() + "&code_challenge_method=S256");
                })
                .onFailure(away -> fail(context, START, "provider", away));
    }

    private void callback(RoutingContext context) {
        HttpServerRequest request = context.request();
        String state = String.valueOf(request.getParam("state"));
        Optional<Attempt> attempt = Optional.ofNullable(request.getCookie(cookieName(context)))
                .flatMap(cookie -> Attempt.read(cookie.getValue()))
                .filter(begun -> Tokens.same(begun.state(), state));
        context.response().addCookie(cookie(context, "", Duration.ZERO));
        String code = request.getParam("code");
        if (attempt.isEmpty() || !isFirst(state)) {
            fail(context, CALLBACK, "state");
        } else if (code == null) {
            log.info(
                    "the OpenID provider refused a sign-in: {}",
                    PlainText.oneLine(String.valueOf(request.getParam("error"))));
            fail(context, CALLBACK, "denied");
        } else {
            Attempt begun = attempt.get();
            provider.claims(code, begun.verifier(), redirect(context), begun.nonce())
                    .map(claims -> {
                        admit(context, claims, begun.to());
                        return claims;
                    })
                    .onFailure(failure -> fail(context, CALLBACK, "provider", failure));
        }
    }

    private void admit(RoutingContext context, Map<String, Object> claims, String to) {
        Optional<Person> person = roles.person(claims);
        if (person.isEmpty()) {
            records.signInRefused(
                    context,
                    ClaimRoles.label(claims) + ", by " + settings.name(),
                    "no role in the claim " + settings.rolesClaim());
            fail(context, CALLBACK, "no-role");
            return;
        }
        String id =
                "oidc" + Sha256.hex(settings.issuer() + " " + claims.get("sub")).substring(0, 24);
        CompletionStage<Session> opened = endBefore(context).thenCompose(ended -> sessions.open(id, person.get()));
        Future.fromCompletionStage(
                        opened.thenCompose(session ->
                                sessions.keyOf(session, null).thenApply(key -> new Opened(session, key.orElseThrow()))),
                        context.vertx().getOrCreateContext())
                .onSuccess(done -> {
                    Actor actor = Exchange.actor(context, done.key);
                    records.signedIn(actor, done.key, settings.name());
                    HttpServerResponse response = context.response();
                    response.headers()
                            .add(
                                    "Set-Cookie",
                                    Sessions.setCookie(
                                            done.session.id(),
                                            SignIn.LONGEST,
                                            Exchange.isEncrypted(context.request())));
                    leave(response, up(CALLBACK) + "ui/" + to);
                })
                .onFailure(failure -> fail(context, CALLBACK, "store", failure));
    }

    private record Opened(Session session, AccessKey key) {}

    /** Of two in one browser the older one could not be ended any more. */
    private CompletionStage<Optional<Session>> endBefore(RoutingContext context) {
        Cookie before = context.request().getCookie(Sessions.cookie(Exchange.isEncrypted(context.request())));
        return sessions.close(before == null ? "" : before.getValue());
    }

    private void end(RoutingContext context) {
        provider.document().onComplete(answer -> {
            String endpoint = answer.succeeded() ? answer.result().getString("end_session_endpoint") : null;
            leave(
                    context.response(),
                    endpoint == null
                            ? up(END) + "ui/"
                            : endpoint + (endpoint.contains("?") ? "&" : "?") + "client_id="
                                    + encoded(settings.clientId()) + "&post_logout_redirect_uri="
                                    + encoded(base(context) + "/ui/"));
        });
    }

    /** Whether a state comes back for the first time, as far as this node knows; the provider takes a code once, too. */
    private synchronized boolean isFirst(String state) {
        long now = environment.ticker().nanos();
        used.values().removeIf(since -> now - since >= LIFETIME.toNanos());
        if (used.size() >= MOST_USED) {
            used.remove(used.keySet().iterator().next());
        }
        return used.put(state, now) == null;
    }

    private void fail(RoutingContext context, String here, String code, Throwable why) {
        log.warn(
                "a sign-in with the OpenID provider {} failed: {}",
                settings.issuer(),
                PlainText.oneLine(String.valueOf(why.getMessage())));
        fail(context, here, code);
    }

    /** Leads to the sign-in page, which says in words what {@code code} means. */
    private static void fail(RoutingContext context, String here, String code) {
        leave(context.response(), up(here) + "ui/?refused=" + code);
    }

    private static void leave(HttpServerResponse response, String where) {
        response.setStatusCode(303)
                .putHeader("Location", where)
                .putHeader("Cache-Control", "no-store")
                .putHeader("Referrer-Policy", "no-referrer")
                .end();
    }

    /** From {@code path} to the root, relative: a proxy may have taken a prefix away. */
    private static String up(String path) {
        return "../".repeat((int) path.chars().filter(c -> c == '/').count() - 1);
    }

    private String redirect(RoutingContext context) {
        return base(context) + CALLBACK;
    }

    private String base(RoutingContext context) {
        URI url = settings.url();
        if (url != null) {
            return url.toString().replaceFirst("/$", "");
        }
        HttpServerRequest request = context.request();
        return (Exchange.isEncrypted(request) ? "https://" : "http://") + request.authority();
    }

    private static String cookieName(RoutingContext context) {
        return Exchange.isEncrypted(context.request()) ? "__Host-" + COOKIE : COOKIE;
    }

    /** Lax, because the provider's page leads to the callback. */
    private static Cookie cookie(RoutingContext context, String value, Duration age) {
        return Cookie.cookie(cookieName(context), value)
                .setPath("/")
                .setHttpOnly(true)
                .setSecure(Exchange.isEncrypted(context.request()))
                .setSameSite(CookieSameSite.LAX)
                .setMaxAge(age.toSeconds());
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /**
     * A sign-in under way, as the cookie of its browser has it.
     *
     * @param secret what state, nonce and verifier are made from
     * @param to the page to go to afterwards
     */
    private record Attempt(String secret, String to) {

        private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();
        private static final Pattern FORM = Pattern.compile("([A-Za-z0-9_-]{43})\\.([A-Za-z0-9_-]*)");

        static Optional<Attempt> read(String text) {
            // A cookie may come from elsewhere.
            try {
                return Optional.of(FORM.matcher(text))
                        .filter(form -> form.matches())
                        .map(form -> new Attempt(
                                form.group(1),
                                new String(Base64.getUrlDecoder().decode(form.group(2)), StandardCharsets.UTF_8)))
                        .filter(attempt ->
                                attempt.to.isEmpty() || PAGE.matcher(attempt.to).matches());
            } catch (IllegalArgumentException noBase64) {
                return Optional.empty();
            }
        }

        String text() {
            return secret + "." + TEXT.encodeToString(to.getBytes(StandardCharsets.UTF_8));
        }

        String state() {
            return Sha256.hex("state " + secret);
        }

        String nonce() {
            return Sha256.hex("nonce " + secret);
        }

        String verifier() {
            return Sha256.hex("verifier " + secret);
        }

        String challenge() {
            return TEXT.encodeToString(Sha256.of(verifier()));
        }
    }
}
