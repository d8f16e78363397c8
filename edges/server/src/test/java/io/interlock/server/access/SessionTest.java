package io.interlock.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.access.Role;
import io.interlock.access.SignIn;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.ServedTest;
import io.interlock.server.session.Sessions;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Sign-in with a browser. */
class SessionTest extends ServedTest {

    @Test
    void anApiKeyIsExchangedForACookieThatPagesCannotRead() {
        Answer signedIn =
                signIn("{\"apiKey\": \"" + rig.key(Role.OPERATOR) + "\"}").is(200);
        assertThat(signedIn.text("role")).isEqualTo("operator");
        assertThat(signedIn.text("tenant")).isEqualTo("acme");
        assertThat(signedIn.header("Set-Cookie"))
                .startsWith("interlock_session=")
                .contains("HttpOnly", "SameSite=Strict", "Path=/")
                .doesNotContain("Secure");
        String cookie = cookie(signedIn);
        rig.get("/runs", null, "Cookie", cookie).is(200);
        Answer who = rig.get("/session", null, "Cookie", cookie).is(200);
        assertThat(who.text("csrfToken")).isEqualTo(signedIn.text("csrfToken"));
        assertThat(who.json().getBoolean("anyTenant")).isFalse();
        rig.get("/runs", null, "Cookie", cookie, "X-Tenant", "other").isProblem(403, "forbidden");
    }

    @Test
    void overTlsTheCookieIsOneThatOnlyThisHostCanSet() {
        String body = "{\"apiKey\": \"" + rig.key(Role.OPERATOR) + "\"}";
        Answer signedIn =
                rig.post("/session", null, body, "X-Forwarded-Proto", "https").is(200);
        assertThat(signedIn.header("Set-Cookie"))
                .startsWith("__Host-interlock_session=")
                .contains("Secure", "Path=/")
                .doesNotContain("Domain");
        String cookie = cookie(signedIn);
        rig.get("/runs", null, "Cookie", cookie, "X-Forwarded-Proto", "https").is(200);
        rig.get("/runs", null, "Cookie", cookie.substring("__Host-".length()), "X-Forwarded-Proto", "https")
                .isProblem(401, "unauthenticated");
    }

    @Test
    void aNewSignInEndsTheSessionBefore() {
        String body = "{\"apiKey\": \"" + rig.key(Role.OPERATOR) + "\"}";
        String before = cookie(signIn(body).is(200));
        String after = cookie(rig.post("/session", null, body, "Cookie", before).is(200));
        rig.get("/runs", null, "Cookie", before).isProblem(401, "unauthenticated");
        rig.get("/runs", null, "Cookie", after).is(200);
    }

    @Test
    void whatChangesSomethingNeedsTheTokenOfThePage() {
        Answer signedIn =
                signIn("{\"apiKey\": \"" + rig.key(Role.OPERATOR) + "\"}").is(200);
        String cookie = cookie(signedIn);
        String body = "{\"key\": \"csrf/1\", \"job\": \"quick\"}";
        rig.post("/runs", null, body, "Cookie", cookie).isProblem(403, "forbidden");
        rig.post("/runs", null, body, "Cookie", cookie, "X-CSRF-Token", "guess").isProblem(403, "forbidden");
        rig.post("/runs", null, body, "Cookie", cookie, "X-CSRF-Token", signedIn.text("csrfToken"))
                .is(201);
        rig.get("/config", null, "Cookie", cookie).isProblem(403, "forbidden");
    }

    @Test
    void aCodeSignsInOnce() {
        String code = rig.sessions.oneTimeCode(rig.key(Role.ADMIN));
        assertThat(signIn("{\"code\": \"" + code + "\"}").is(200).text("role")).isEqualTo("admin");
        signIn("{\"code\": \"" + code + "\"}").isProblem(401, "unauthenticated");
    }

    @Test
    void whatAPageAsksByItselfKeepsNobodySignedIn() {
        AtomicLong passed = new AtomicLong();
        EngineRig own = EngineRig.on(new MemoryStore(EngineRig.shifted(Environment.system(), passed)));
        Consumer<Duration> pass = time -> {
            passed.addAndGet(time.toNanos());
            own.pass(time);
        };
        try {
            String body = "{\"apiKey\": \"" + own.key(Role.READ) + "\"}";
            String cookie = cookie(own.post("/session", (String) null, body).is(200));
            pass.accept(SignIn.IDLE.minusMinutes(1));
            own.get("/runs", null, "Cookie", cookie).is(200);
            pass.accept(SignIn.IDLE.minusMinutes(1));
            own.get("/runs", null, "Cookie", cookie, Sessions.BACKGROUND_HEADER, "true")
                    .is(200);
            pass.accept(Duration.ofMinutes(2));
            own.get("/runs", null, "Cookie", cookie, Sessions.BACKGROUND_HEADER, "true")
                    .isProblem(401, "unauthenticated");
            own.get("/runs", null, "Cookie", cookie).isProblem(401, "unauthenticated");
        } finally {
            own.closeAll();
        }
    }

    @Test
    void aSignInCountsOnEveryNodeAndASignOutToo() {
        EngineRig other = EngineRig.on(rig.store);
        try {
            Answer signedIn =
                    signIn("{\"apiKey\": \"" + rig.key(Role.OPERATOR) + "\"}").is(200);
            String cookie = cookie(signedIn);
            assertThat(other.get("/session", null, "Cookie", cookie).is(200).text("csrfToken"))
                    .isEqualTo(signedIn.text("csrfToken"));
            rig.send(rig.request("/session", null, "Cookie", cookie).DELETE().build())
                    .is(204);
            other.pass(KeyRing.FRESH);
            other.get("/runs", null, "Cookie", cookie).isProblem(401, "unauthenticated");
        } finally {
            other.close();
        }
    }

    @Test
    void whoTriesCookiesIsSlowedDownAndHarmsNoOtherSession() {
        EngineRig own = EngineRig.on("memory:");
        try {
            String body = "{\"apiKey\": \"" + own.key(Role.READ) + "\"}";
            String cookie = cookie(own.post("/session", (String) null, body).is(200));
            boolean refused = false;
            // A slow machine tries so seldom that more tries are let through.
            for (int i = 0; i < 2_000 && !refused; i++) {
                Answer answer = own.get("/runs", null, "Cookie", Sessions.cookie(false) + "=guess-" + i);
                assertThat(answer.status()).isIn(401, 429);
                refused = answer.status() == 429;
            }
            assertThat(refused).isTrue();
            own.get("/runs", null, "Cookie", cookie).is(200);
        } finally {
            own.closeAll();
        }
    }

    @Test
    void whoSignsOutIsOut() {
        String cookie =
                cookie(signIn("{\"apiKey\": \"" + rig.key(Role.READ) + "\"}").is(200));
        Answer out = rig.send(
                        rig.request("/session", null, "Cookie", cookie).DELETE().build())
                .is(204);
        assertThat(out.header("Set-Cookie")).contains("Max-Age=0");
        rig.get("/runs", null, "Cookie", cookie).isProblem(401, "unauthenticated");
    }

    @Test
    void aKeyThatWasTakenBackEndsItsSessions() {
        KeyRing.IssuedKey key = rig.issue("acme", Role.READ);
        String cookie =
                cookie(signIn("{\"apiKey\": \"" + key.secret().text() + "\"}").is(200));
        rig.get("/runs", null, "Cookie", cookie).is(200);
        rig.ring
                .revoke("acme", key.secret().id(), "test", "lost")
                .toCompletableFuture()
                .join();
        rig.get("/runs", null, "Cookie", cookie).isProblem(401, "unauthenticated");
    }

    @Test
    void aKeyInAHeaderCountsMoreThanACookie() {
        String cookie =
                cookie(signIn("{\"apiKey\": \"" + rig.key(Role.READ) + "\"}").is(200));
        rig.get("/runs", "nonsense", "Cookie", cookie).isProblem(401, "unauthenticated");
        assertThat(rig.get("/session", rig.key(Role.ADMIN), "Cookie", cookie).text("role"))
                .isEqualTo("admin");
    }

    @Test
    void guessingIsSlowedDown() {
        EngineRig other = EngineRig.on("memory:");
        try {
            int refused = 0;
            for (int i = 0; i < 40; i++) {
                Answer answer = other.post("/session", (String) null, "{\"code\": \"guess-" + i + "\"}");
                assertThat(answer.status()).isIn(401, 429);
                refused += answer.status() == 429 ? 1 : 0;
            }
            assertThat(refused).isPositive();
        } finally {
            other.closeAll();
        }
    }

    private Answer signIn(String body) {
        return rig.post("/session", (String) null, body);
    }

    private static String cookie(Answer signedIn) {
        return signedIn.header("Set-Cookie").split(";", 2)[0];
    }
}
