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
import io.interlock.server.session.Sessions;
import io.interlock.server.session.Sessions.Session;
import io.interlock.server.session.Sessions.Tokens;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.interlock.time.Environment.Ticker;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

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
     * Knows callers by {@code keys} or their sessions; each key may ask {@code requestsPerSecond} times a second.
     *
     * @param knowsAddresses whether clients are known by their addresses, and not all by that of a proxy
     */
    public Authentication(
            KeyRing keys, Sessions sessions, int requestsPerSecond, boolean knowsAddresses, Ticker ticker) {
        this.keys = keys;
        this.requests = new Buckets(requestsPerSecond, ticker);
        this.strangers = new Buckets(WRONG_KEYS, ticker);
        this.knowsAddresses = knowsAddresses;
        this.sessions = sessions;
    }

    /** Goes on if the caller is known, has the role {@code needed}, and is within its rate limit. */
    public void require(RoutingContext context, Role needed) {
        if (hasKey(context.request())) {
            requireKey(context, needed);
        } else {
            requireSession(context, needed);
        }
    }

    private void requireKey(RoutingContext context, Role needed) {
        Optional<String> shown = shown(context.request());
        if (shown.isEmpty()) {
            context.fail(unauthenticated());
            return;
        }
        String key = shown.get();
        Exchange.PRESENTED.put(context, key);
        if (isOneOfTooMany(context, key, keys::mayKnow)) {
            return;
        }
        Exchange.STANDING.put(context, () -> keys.recognise(key).thenApply(Optional::isPresent));
        whenKnown(context, keys.recognise(key), found -> admit(context, found, needed));
    }

    /** What may be right is looked at all the same: others at the same address must not lock its owner out. */
    private boolean isOneOfTooMany(RoutingContext context, String shown, Predicate<String> mayBeRight) {
        boolean refused = knowsAddresses && strangers.isEmpty(Exchange.address(context)) && !mayBeRight.test(shown);
        if (refused) {
            context.fail(Problem.of(ProblemCode.RATE_LIMITED, "This address showed too many wrong keys.")
                    .with("limit", WRONG_KEYS)
                    .retryAfter(Duration.ofSeconds(1)));
        }
        return refused;
    }

    private void requireSession(RoutingContext context, Role needed) {
        HttpServerRequest request = context.request();
        Cookie cookie = request.getCookie(Sessions.cookie(Exchange.isEncrypted(request)));
        if (cookie == null) {
            context.fail(unauthenticated());
            return;
        }
        String id = cookie.getValue();
        if (isOneOfTooMany(context, id, sessions::mayKnow)) {
            return;
        }
        String tenant = request.getHeader(TENANT);
        // An open page sends requests for ever; only actions of the user keep the session alive.
        boolean alone = request.headers().contains(Sessions.BACKGROUND_HEADER);
        Exchange.STANDING.put(
                context,
                () -> sessions.find(id, false)
                        .thenCompose(session -> keyOf(session, tenant))
                        .thenApply(Optional::isPresent));
        whenKnown(
                context,
                sessions.find(id, !alone),
                session -> whenKnown(context, keyOf(session, tenant), found -> {
                    session.ifPresent(known -> Exchange.SESSION.put(context, known));
                    admit(context, found, needed);
                }));
    }

    private CompletionStage<Optional<AccessKey>> keyOf(Optional<Session> session, @Nullable String tenant) {
        return session.isEmpty()
                ? CompletableFuture.completedFuture(Optional.empty())
                : sessions.keyOf(session.get(), tenant);
    }

    /** Passes on the answer on the event loop of the request, which reads no body until then. */
    private static <T> void whenKnown(
            RoutingContext context, CompletionStage<Optional<T>> asked, Consumer<Optional<T>> use) {
        CompletableFuture<Optional<T>> answer = asked.toCompletableFuture();
        if (answer.isDone() && !answer.isCompletedExceptionally()) {
            use.accept(answer.join());
            return;
        }
        // The body reader resumes it.
        context.request().pause();
        Future.fromCompletionStage(answer, Vertx.currentContext())
                .onSuccess(use::accept)
                .onFailure(context::fail);
    }

    /** Goes on if {@code found} is there, has the role {@code needed}, and is within its rate limit. */
    public void admit(RoutingContext context, Optional<AccessKey> found, Role needed) {
        try {
            admitKnown(context, found, needed);
        } catch (Problem refused) {
            context.fail(refused);
        }
    }

    private void admitKnown(RoutingContext context, Optional<AccessKey> found, Role needed) {
        if (found.isEmpty()) {
            strangers.take(Exchange.address(context));
            throw unauthenticated();
        }
        AccessKey key = found.get();
        Optional<Duration> wait = requests.take(key.id());
        if (wait.isPresent()) {
            throw Problem.of(
                            ProblemCode.RATE_LIMITED,
                            "The API key may make " + requests.perSecond() + " requests a second.")
                    .with("limit", requests.perSecond())
                    .retryAfter(wait.get());
        }
        Optional<Session> session = Exchange.SESSION.in(context);
        Caller caller = new Caller(key, tenant(context.request(), key, session));
        Exchange.caller(context, caller);
        session.ifPresent(known -> requireOurs(context.request(), known));
        if (!caller.may(needed)) {
            throw Problem.of(
                            ProblemCode.FORBIDDEN,
                            "This needs the role " + name(needed) + "; the key has " + name(key.role()) + ".")
                    .with("neededRole", name(needed))
                    .with("role", name(key.role()));
        }
        context.next();
    }

    private static String tenant(HttpServerRequest request, AccessKey key, Optional<Session> session) {
        String named = request.getHeader(TENANT);
        if (named == null || named.equals(key.tenant())) {
            return key.tenant();
        }
        if (session.filter(known -> known.kept().person() != null).isPresent()) {
            throw Problem.of(ProblemCode.FORBIDDEN, "You have no role in the tenant that X-Tenant names.");
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

    /** A browser sends the cookie with requests of any page, so a change needs a header that only our own page can know. */
    private static void requireOurs(HttpServerRequest request, Session session) {
        if (!LOOKS.contains(request.method()) && !isOurs(request, session)) {
            throw Problem.of(
                    ProblemCode.FORBIDDEN,
                    "A change by a session cookie needs the header " + Sessions.CSRF_HEADER + ".");
        }
    }

    private static boolean isOurs(HttpServerRequest request, Session session) {
        String token = request.getHeader(Sessions.CSRF_HEADER);
        return token != null && Tokens.same(token, session.csrfToken());
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
