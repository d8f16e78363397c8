package io.interlock.server.session;

import io.interlock.BoundedMap;
import io.interlock.Sha256;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.access.SignIn;
import io.interlock.access.SignIn.Person;
import io.interlock.access.SignIns;
import io.interlock.engine.access.KeyRing;
import io.interlock.time.Environment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Who has signed in with a browser. The store keeps them, so a restart ends none and every node knows them; {@link SignIn} says when one
 * ends. Revoking its API key ends it too, because the key is checked with every request. Requests that a page sends by itself do not count
 * as use. What another node ended counts here no more {@link KeyRing#FRESH} later.
 *
 * <p>Nothing here blocks: the store is asked on the executor that was given. Safe for use by many threads.
 */
public final class Sessions {

    private static final String COOKIE = "interlock_session";

    /** The header that carries {@link Session#csrfToken()}. */
    public static final String CSRF_HEADER = "X-CSRF-Token";

    /** The header of requests that a page sends by itself. */
    public static final String BACKGROUND_HEADER = "X-Background";

    /** For how long a one-time code can be used. */
    public static final Duration CODE = Duration.ofMinutes(15);

    private final SignIns store;
    private final KeyRing keys;
    private final Environment environment;
    private final Executor blocking;

    // By the hash of the secret. The one that was asked for longest ago comes first.
    private final Map<String, Known> known = BoundedMap.ofNewest(SignIn.MOST);
    private final Map<String, Code> codes = new LinkedHashMap<>();

    /**
     * Those that {@code store} keeps.
     *
     * @param blocking where the store is asked; it may refuse, which is passed on
     */
    public Sessions(SignIns store, KeyRing keys, Environment environment, Executor blocking) {
        this.store = store;
        this.keys = keys;
        this.environment = environment;
        this.blocking = blocking;
    }

    /** The cookie that carries a session; where TLS is spoken, one that no other host and no plain connection can set. */
    public static String cookie(boolean encrypted) {
        return encrypted ? "__Host-" + COOKIE : COOKIE;
    }

    /** The header that gives a browser the session {@code id} for {@code age}; with an age of 0, takes it away. */
    public static String setCookie(String id, Duration age, boolean encrypted) {
        return cookie(encrypted) + "=" + id + "; Path=/; HttpOnly; SameSite=Strict; Max-Age=" + age.toSeconds()
                + (encrypted ? "; Secure" : "");
    }

    /** Opens a session for a person whom an identity provider named, or with {@code null} for the API key {@code keyId}, which is valid. */
    public CompletionStage<Session> open(String keyId, @Nullable Person person) {
        String id = Tokens.draw(environment.random());
        long now = environment.ticker().nanos();
        return ask(() -> store.openSignIn(SignIn.of(Sha256.hex(id), keyId, person)))
                .thenApply(kept -> remembered(new Session(id, kept), now, now));
    }

    /**
     * The session with that id, if it has not ended.
     *
     * @param used whether it counts as used; the store is told so once a minute
     */
    public CompletionStage<Optional<Session>> find(String id, boolean used) {
        String hash = Sha256.hex(id);
        long now = environment.ticker().nanos();
        Known here;
        synchronized (this) {
            here = known.get(hash);
        }
        boolean tells = used && (here == null || now - here.used >= KeyRing.USE_NOTED_EVERY.toNanos());
        if (here != null && !tells && now - here.since < KeyRing.FRESH.toNanos()) {
            return CompletableFuture.completedFuture(Optional.of(new Session(id, here.kept)));
        }
        long lastUse = tells || here == null ? now : here.used;
        return ask(() -> store.findSignIn(hash, tells)).thenApply(found -> {
            if (found.isEmpty()) {
                forget(hash);
            }
            return found.map(kept -> remembered(new Session(id, kept), now, lastUse));
        });
    }

    /** Whether this node has seen the session with that id: nothing is asked for it. */
    public synchronized boolean mayKnow(String id) {
        return known.containsKey(Sha256.hex(id));
    }

    /**
     * What a session may do in {@code tenant}: as its API key says, if that is still valid, or as an identity provider said when its user
     * signed in.
     *
     * @param tenant the one that was asked for, or {@code null} for the first that its user has
     */
    public CompletionStage<Optional<AccessKey>> keyOf(Session session, @Nullable String tenant) {
        SignIn kept = session.kept();
        Person person = kept.person();
        if (person == null) {
            return keys.withId(kept.keyId());
        }
        SortedMap<String, Role> roles = person.roles();
        String wanted = tenant != null && roles.containsKey(tenant) ? tenant : roles.firstKey();
        Role role = Objects.requireNonNull(roles.get(wanted));
        return CompletableFuture.completedFuture(Optional.of(
                new AccessKey(kept.keyId(), wanted, role, person.label(), kept.hash(), kept.openedAt(), null, null)));
    }

    /** Ends a session; which one it was, if it had not ended before. */
    public CompletionStage<Optional<Session>> close(String id) {
        String hash = Sha256.hex(id);
        forget(hash);
        return ask(() -> store.closeSignIn(hash)).thenApply(found -> {
            // A request that came meanwhile may have asked before.
            forget(hash);
            return found.map(kept -> new Session(id, kept));
        });
    }

    /** A code that signs in once for {@code apiKey}, at this node: for a link that is printed. */
    public synchronized String oneTimeCode(String apiKey) {
        long now = environment.ticker().nanos();
        codes.values().removeIf(code -> code.isOver(now));
        String code = Tokens.draw(environment.random());
        codes.put(code, new Code(apiKey, now));
        return code;
    }

    /** The API key of a code, which counts no more from now on. */
    public synchronized Optional<String> redeem(String code) {
        Code kept = codes.remove(code);
        return kept == null || kept.isOver(environment.ticker().nanos()) ? Optional.empty() : Optional.of(kept.apiKey);
    }

    private synchronized Session remembered(Session session, long since, long used) {
        String hash = session.kept().hash();
        known.remove(hash);
        known.put(hash, new Known(session.kept(), since, used));
        return session;
    }

    private synchronized void forget(String hash) {
        known.remove(hash);
    }

    private <T> CompletionStage<T> ask(Supplier<T> question) {
        return CompletableFuture.supplyAsync(question, blocking);
    }

    /** What the store said, when it was asked, and when it was last told of a use, by the ticker. */
    private record Known(SignIn kept, long since, long used) {}

    /** A code, and when it was made, by the ticker. */
    private record Code(String apiKey, long made) {
        boolean isOver(long now) {
            return now - made >= CODE.toNanos();
        }
    }

    /**
     * A sign-in with a browser.
     *
     * @param id what the cookie carries; a secret
     */
    public record Session(String id, SignIn kept) {

        /** What a page must send along with whatever changes something; pages of others cannot know it. It does not tell the id. */
        public String csrfToken() {
            return Sha256.hex("csrf " + id);
        }

        /** In which tenants its user has a role, if an identity provider said so. */
        public List<String> tenants() {
            Person person = kept.person();
            return person == null ? List.of() : List.copyOf(person.roles().keySet());
        }

        @Override
        public String toString() {
            return "a session";
        }
    }

    /** Secrets that browsers carry, and hashes of them. */
    public static final class Tokens {

        private static final int BYTES = 32;
        private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();

        private Tokens() {}

        public static String draw(RandomGenerator random) {
            byte[] bits = new byte[BYTES];
            random.nextBytes(bits);
            return TEXT.encodeToString(bits);
        }

        /** Whether two are the same; it takes the same time wherever they differ. */
        public static boolean same(String one, String other) {
            return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
        }
    }
}
