package io.interlock.server.access;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.TimeMeter;
import io.interlock.InvalidKeyException;
import io.interlock.LockKey;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.http.Exchange;
import io.interlock.server.http.Exchange.Caller;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.interlock.server.session.Sessions;
import io.interlock.server.session.Sessions.Session;
import io.interlock.time.Ticker;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Finds out who asks. The tenant comes from the key; only the bootstrap key may name another one. The body is not read before
 * that, so strangers cannot make the server buffer anything.
 */
public final class Authentication {

    /** What changes nothing. */
    static final Set<HttpMethod> LOOKS = Set.of(HttpMethod.GET, HttpMethod.HEAD);

    private static final String BEARER = "bearer ";
    private static final CharSequence API_KEY = HttpHeaders.createOptimized("x-api-key");
    private static final CharSequence TENANT = HttpHeaders.createOptimized("X-Tenant");

    /** How many wrong keys an address may show in a second. */
    private static final int WRONG_KEYS = 50;

    private final KeyRing keys;
    private final Buckets requests;
    private final Buckets strangers;
    private final boolean knowsAddresses;
    private final Sessions sessions;

    /**
     * Knows callers by {@code keys}.
     *
     * @param strangers how often an address may show a wrong key
     * @param knowsAddresses whether clients are known by their addresses, and not all by that of a proxy
     */
    private Authentication(
            KeyRing keys, Buckets requests, Buckets strangers, boolean knowsAddresses, Sessions sessions) {
        this.keys = keys;
        this.requests = requests;
        this.strangers = strangers;
        this.knowsAddresses = knowsAddresses;
        this.sessions = sessions;
    }

    /** Knows callers by {@code keys} or their sessions; each key may ask {@code requestsPerSecond} times a second. */
    public static Authentication by(
            KeyRing keys, Sessions sessions, int requestsPerSecond, boolean knowsAddresses, Ticker ticker) {
        return new Authentication(
                keys,
                new Buckets(requestsPerSecond, ticker),
                new Buckets(WRONG_KEYS, ticker),
                knowsAddresses,
                sessions);
    }

    /** Goes on if the caller is known, has the role {@code needed}, and is within its rate limit. */
    public void require(RoutingContext context, Role needed) {
        HttpServerRequest request = context.request();
        String address = Exchange.address(context);
        Optional<String> shown;
        try {
            shown = hasKey(request) ? shown(request) : signedIn(context);
        } catch (Problem refused) {
            context.fail(refused);
            return;
        }
        if (shown.isEmpty()) {
            context.fail(unauthenticated());
            return;
        }
        String key = shown.get();
        Exchange.presented(context, key);
        // A key that may be right is looked at all the same: others at the same address must not lock its owner out.
        if (knowsAddresses && strangers.isEmpty(address) && !keys.mayKnow(key)) {
            context.fail(Problem.of(ProblemCode.RATE_LIMITED, "This address showed too many wrong keys.")
                    .with("limit", WRONG_KEYS)
                    .retryAfter(Duration.ofSeconds(1)));
            return;
        }
        Exchange.standing(context, () -> isStillKnown(Exchange.session(context), key));
        Context loop = Vertx.currentContext();
        CompletableFuture<Optional<AccessKey>> recognised = keys.recognise(key).toCompletableFuture();
        if (recognised.isDone() && !recognised.isCompletedExceptionally()) {
            admitOrFail(context, recognised.join(), needed, address);
            return;
        }
        request.pause();
        Future.fromCompletionStage(recognised, loop).onComplete(answer -> {
            // The body reader resumes it.
            if (answer.failed()) {
                context.fail(answer.cause());
            } else {
                admitOrFail(context, answer.result(), needed, address);
            }
        });
    }

    private CompletionStage<Boolean> isStillKnown(Optional<Session> session, String key) {
        return session.isPresent() && sessions.look(session.get().id()).isEmpty()
                ? CompletableFuture.completedFuture(false)
                : keys.recognise(key).thenApply(Optional::isPresent);
    }

    /** Goes on if {@code found} is there, has the role {@code needed}, and is within its rate limit. */
    public void admit(RoutingContext context, Optional<AccessKey> found, Role needed) {
        admitOrFail(context, found, needed, Exchange.address(context));
    }

    private void admitOrFail(RoutingContext context, Optional<AccessKey> found, Role needed, String address) {
        try {
            admit(context, found, needed, address);
        } catch (Problem refused) {
            context.fail(refused);
        }
    }

    private void admit(RoutingContext context, Optional<AccessKey> found, Role needed, String address) {
        if (found.isEmpty()) {
            strangers.take(address);
            context.fail(unauthenticated());
            return;
        }
        AccessKey key = found.get();
        Optional<Duration> wait = requests.take(key.id());
        if (wait.isPresent()) {
            context.fail(Problem.of(
                            ProblemCode.RATE_LIMITED,
                            "The API key may make " + requests.perSecond() + " requests a second.")
                    .with("limit", requests.perSecond())
                    .retryAfter(wait.get()));
            return;
        }
        Caller caller = new Caller(key, tenant(context.request(), key));
        Exchange.caller(context, caller);
        if (!caller.may(needed)) {
            throw Problem.of(
                            ProblemCode.FORBIDDEN,
                            "This needs the role " + name(needed) + "; the key has " + name(key.role()) + ".")
                    .with("neededRole", name(needed))
                    .with("role", name(key.role()));
        }
        context.next();
    }

    private static String tenant(HttpServerRequest request, AccessKey key) {
        String named = request.getHeader(TENANT);
        if (named == null || named.equals(key.tenant())) {
            return key.tenant();
        }
        if (!KeyRing.isBootstrap(key)) {
            throw Problem.of(ProblemCode.FORBIDDEN, "Only the bootstrap key may name a tenant by X-Tenant.");
        }
        try {
            return LockKey.of(named, "any").tenant();
        } catch (InvalidKeyException invalid) {
            throw Problem.invalid("header/X-Tenant", String.valueOf(invalid.getMessage()));
        }
    }

    /** Whether a request shows an API key. */
    public static boolean hasKey(HttpServerRequest request) {
        return request.headers().contains(API_KEY) || request.headers().contains(HttpHeaders.AUTHORIZATION);
    }

    /**
     * The key of the session. A browser sends the cookie with requests of any page, so a change needs a header that only our own page
     * can know.
     */
    private Optional<String> signedIn(RoutingContext context) {
        HttpServerRequest request = context.request();
        Cookie cookie = request.getCookie(Sessions.cookie(Exchange.isEncrypted(request)));
        // An open page sends requests for ever; only actions of the user keep the session alive.
        boolean alone = request.headers().contains(Sessions.BACKGROUND_HEADER);
        Optional<Session> session = Optional.ofNullable(cookie)
                .map(Cookie::getValue)
                .flatMap(id -> alone ? sessions.look(id) : sessions.find(id));
        boolean looks = LOOKS.contains(request.method());
        if (session.isPresent() && !looks && !isOurs(request, session.get())) {
            Exchange.presented(context, session.get().apiKey());
            throw Problem.of(
                    ProblemCode.FORBIDDEN,
                    "A change by a session cookie needs the header " + Sessions.CSRF_HEADER + ".");
        }
        session.ifPresent(known -> Exchange.session(context, known));
        return session.map(Session::apiKey);
    }

    private static boolean isOurs(HttpServerRequest request, Session session) {
        String token = request.getHeader(Sessions.CSRF_HEADER);
        return token != null
                && MessageDigest.isEqual(
                        token.getBytes(StandardCharsets.UTF_8),
                        session.csrfToken().getBytes(StandardCharsets.UTF_8));
    }

    /** The one key a request shows. Two different ones are none: a proxy in front may have looked at the other. */
    private static Optional<String> shown(HttpServerRequest request) {
        Set<String> shown = new LinkedHashSet<>(request.headers().getAll(API_KEY));
        for (String authorization : request.headers().getAll(HttpHeaders.AUTHORIZATION)) {
            boolean bearer = authorization.regionMatches(true, 0, BEARER, 0, BEARER.length());
            shown.add(bearer ? authorization.substring(BEARER.length()).strip() : "");
        }
        return shown.size() == 1 ? Optional.of(shown.iterator().next()) : Optional.empty();
    }

    private static Problem unauthenticated() {
        return Problem.of(ProblemCode.UNAUTHENTICATED, "Send a valid API key as x-api-key or as Authorization Bearer.");
    }

    private static String name(Role role) {
        return role.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Limits how often each name acts. Bounded: beyond a number of names, new ones share one bucket until others have been idle for a
     * second. Safe for use by many threads.
     */
    public static final class Buckets {

        private static final int MOST = 10_000;
        private static final String OTHERS = "_other";

        private final int perSecond;
        private final TimeMeter time;
        private final ConcurrentMap<String, Bucket> buckets = new ConcurrentHashMap<>();

        /** Each name may act {@code perSecond} times a second, and as often at once. */
        public Buckets(int perSecond, Ticker ticker) {
            this.perSecond = perSecond;
            this.time = new TimeMeter() {
                @Override
                public long currentTimeNanos() {
                    return ticker.nanos();
                }

                @Override
                public boolean isWallClockBased() {
                    return false;
                }
            };
        }

        public int perSecond() {
            return perSecond;
        }

        /** Takes one; if there is none left, says how long to wait for the next. */
        public Optional<Duration> take(String who) {
            ConsumptionProbe probe = bucket(who).tryConsumeAndReturnRemaining(1);
            return probe.isConsumed()
                    ? Optional.empty()
                    : Optional.of(Duration.ofNanos(probe.getNanosToWaitForRefill()));
        }

        /** Whether there is none left, without taking one. */
        public boolean isEmpty(String who) {
            Bucket bucket = buckets.get(who);
            return bucket != null && bucket.getAvailableTokens() == 0;
        }

        private Bucket bucket(String who) {
            Bucket known = buckets.get(who);
            if (known != null) {
                return known;
            }
            if (buckets.size() >= MOST) {
                // A full bucket says nothing that a new one would not say.
                buckets.values().removeIf(bucket -> bucket.getAvailableTokens() >= perSecond);
            }
            return buckets.computeIfAbsent(buckets.size() < MOST ? who : OTHERS, name -> fresh());
        }

        private Bucket fresh() {
            return Bucket.builder()
                    .addLimit(limit -> limit.capacity(perSecond).refillGreedy(perSecond, Duration.ofSeconds(1)))
                    .withCustomTimePrecision(time)
                    .build();
        }
    }
}
