package io.interlock.server.session;

import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The sessions of this node. Kept in memory: a restart ends them all, and each node has its own. A session ends when it was idle for
 * {@link #IDLE}, and in any case after {@link #LONGEST}; revoking the API key ends it too, because the key is checked with every
 * request. Requests that a page sends by itself do not count as use. Safe for use by many threads.
 */
public final class Sessions {

    private static final String COOKIE = "interlock_session";

    /** The header that carries {@link Session#csrfToken()}. */
    public static final String CSRF_HEADER = "X-CSRF-Token";

    /** The header of requests that a page sends by itself. */
    public static final String BACKGROUND_HEADER = "X-Background";

    /** For how long a session lasts without being used. */
    public static final Duration IDLE = Duration.ofMinutes(30);

    /** For how long a session lasts at the most. */
    public static final Duration LONGEST = Duration.ofHours(12);

    /** For how long a one-time code can be used. */
    public static final Duration CODE = Duration.ofMinutes(15);

    /** How many sessions an API key has at a time; a further sign-in ends the one that was not used for longest. */
    public static final int MOST_OF_A_KEY = 100;

    private static final int MOST = 10_000;
    private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();

    private final Environment environment;
    private final int most;
    // The one that was idle the longest comes first.
    private final Map<String, Kept> sessions = new LinkedHashMap<>();
    private final Map<String, Code> codes = new LinkedHashMap<>();

    public Sessions(Environment environment) {
        this(environment, MOST);
    }

    Sessions(Environment environment, int most) {
        this.environment = environment;
        this.most = most;
    }

    /** The cookie that carries a session; where TLS is spoken, one that no other host and no plain connection can set. */
    public static String cookie(boolean encrypted) {
        return encrypted ? "__Host-" + COOKIE : COOKIE;
    }

    /** Opens a session for {@code apiKey}, which is valid. */
    public synchronized Session open(String apiKey) {
        long now = environment.ticker().nanos();
        sweep(now);
        makeRoomFor(apiKey);
        Session session = new Session(secret(), apiKey, secret());
        sessions.put(session.id(), new Kept(session, now, now));
        return session;
    }

    /** The session called so, if it has not ended; it counts as used. */
    public synchronized Optional<Session> find(String id) {
        long now = environment.ticker().nanos();
        Kept kept = sessions.remove(id);
        if (kept == null || kept.isOver(now)) {
            return Optional.empty();
        }
        sessions.put(id, new Kept(kept.session, kept.opened, now));
        return Optional.of(kept.session);
    }

    /** The session called so, if it has not ended; it does not count as used. */
    public synchronized Optional<Session> look(String id) {
        Kept kept = sessions.get(id);
        return kept == null || kept.isOver(environment.ticker().nanos()) ? Optional.empty() : Optional.of(kept.session);
    }

    /** Ends a session; which one it was, if it had not ended before. */
    public synchronized Optional<Session> close(String id) {
        Optional<Session> open = look(id);
        sessions.remove(id);
        return open;
    }

    /** A code that signs in once for {@code apiKey}: for a link that is printed. */
    public synchronized String oneTimeCode(String apiKey) {
        long now = environment.ticker().nanos();
        sweep(now);
        String code = secret();
        codes.put(code, new Code(apiKey, now));
        return code;
    }

    /** The API key of a code, which counts no more from now on. */
    public synchronized Optional<String> redeem(String code) {
        Code known = codes.remove(code);
        return known == null || known.isOver(environment.ticker().nanos())
                ? Optional.empty()
                : Optional.of(known.apiKey);
    }

    /** A key that signs in often ends its own sessions; if there are too many of all, those of the key that has the most. */
    private void makeRoomFor(String apiKey) {
        if (countOf(apiKey) >= MOST_OF_A_KEY) {
            endEldestOf(apiKey);
        } else if (sessions.size() >= most) {
            Map<String, Integer> counts = new HashMap<>();
            sessions.values().forEach(kept -> counts.merge(kept.session.apiKey(), 1, Integer::sum));
            counts.entrySet().stream().max(Map.Entry.comparingByValue()).ifPresent(most -> endEldestOf(most.getKey()));
        }
    }

    private long countOf(String apiKey) {
        return sessions.values().stream()
                .filter(kept -> kept.session.apiKey().equals(apiKey))
                .count();
    }

    private void endEldestOf(String apiKey) {
        sessions.values().stream()
                .filter(kept -> kept.session.apiKey().equals(apiKey))
                .findFirst()
                .ifPresent(eldest -> sessions.remove(eldest.session.id()));
    }

    private void sweep(long now) {
        sessions.values().removeIf(kept -> kept.isOver(now));
        codes.values().removeIf(code -> code.isOver(now));
    }

    private String secret() {
        byte[] bits = new byte[32];
        environment.random().nextBytes(bits);
        return TEXT.encodeToString(bits);
    }

    /** A session, and when it was opened and last used, by the ticker. */
    private record Kept(Session session, long opened, long used) {
        boolean isOver(long now) {
            return now - used >= IDLE.toNanos() || now - opened >= LONGEST.toNanos();
        }
    }

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
     * @param apiKey the API key it acts for; a secret
     * @param csrfToken what a page must send along with whatever changes something, which pages of others cannot know
     */
    public record Session(String id, String apiKey, String csrfToken) {

        @Override
        public String toString() {
            return "a session";
        }
    }
}
