package io.interlock.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.nimbusds.oauth2.sdk.TokenRequest;
import io.interlock.LockKey;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.config.Limits;
import io.interlock.config.OidcSettings;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.session.Sessions;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import no.nav.security.mock.oauth2.MockOAuth2Server;
import no.nav.security.mock.oauth2.token.OAuth2TokenCallback;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sign-in with an OpenID provider that runs in this process and speaks HTTP. */
class OidcTest {

    private static final String CLIENT = "interlock-ui";
    private static final MockOAuth2Server PROVIDER = new MockOAuth2Server();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static EngineRig rig;

    @BeforeAll
    static void open() throws IOException {
        PROVIDER.start();
        rig = rig(settings(List.of()));
    }

    @AfterAll
    static void close() {
        rig.closeAll();
        PROVIDER.shutdown();
    }

    private static EngineRig rig(OidcSettings settings) {
        return new EngineRig(new MemoryStore(Environment.system()), Limits.DEFAULT, settings);
    }

    private static OidcSettings settings(List<OidcSettings.Grant> grants) {
        return new OidcSettings(
                PROVIDER.issuerUrl("ops").uri(),
                CLIENT,
                null,
                "Example",
                null,
                List.of("openid", "email"),
                "roles",
                null,
                grants);
    }

    /** What the provider will say about the next person. */
    private static void comes(Map<String, Object> claims, long seconds) {
        Map<String, Object> all = new HashMap<>(Map.of("email", "carol@example.com"));
        all.putAll(claims);
        PROVIDER.enqueueCallback(new Said(all, seconds));
    }

    /** Claims that the provider puts into a token, whatever was asked for. */
    private record Said(Map<String, Object> claims, long seconds) implements OAuth2TokenCallback {

        @Override
        public String issuerId() {
            return "ops";
        }

        @Override
        public String subject(TokenRequest request) {
            return "carol";
        }

        @Override
        public String typeHeader(TokenRequest request) {
            return "JWT";
        }

        @Override
        public List<String> audience(TokenRequest request) {
            return List.of(CLIENT);
        }

        @Override
        public Map<String, Object> addClaims(TokenRequest request) {
            return claims;
        }

        @Override
        public long tokenExpiry() {
            return seconds;
        }
    }

    private static HttpResponse<String> get(URI address, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(20));
        return HTTP.sendAsync(
                        (headers.length == 0 ? request : request.headers(headers)).build(), BodyHandlers.ofString())
                .join();
    }

    private static URI root(EngineRig on) {
        return URI.create("http://127.0.0.1:" + on.server.port() + "/");
    }

    private static String location(HttpResponse<String> answer) {
        return answer.headers().firstValue("Location").orElseThrow();
    }

    private static String cookie(HttpResponse<String> answer, String name) {
        return answer.headers().allValues("Set-Cookie").stream()
                .filter(cookie -> cookie.startsWith(name + "="))
                .findFirst()
                .orElseThrow(() -> new AssertionError(answer.headers().map()));
    }

    /** A browser that went to the provider and was sent back; the callback is still to come. */
    private record Journey(String cookie, URI callback) {

        static Journey to(EngineRig on, String page) {
            HttpResponse<String> start = get(root(on).resolve("auth/oidc?to=" + page));
            assertThat(start.statusCode()).isEqualTo(303);
            assertThat(location(start))
                    .startsWith(PROVIDER.authorizationEndpointUrl("ops").toString())
                    .contains("code_challenge_method=S256", "state=", "nonce=", "response_type=code");
            HttpResponse<String> there = get(URI.create(location(start)));
            assertThat(there.statusCode()).isEqualTo(302);
            return new Journey(OidcTest.cookie(start, "interlock_oidc").split(";", 2)[0], URI.create(location(there)));
        }

        HttpResponse<String> end() {
            return get(callback, "Cookie", cookie);
        }
    }

    private static HttpResponse<String> arrive(EngineRig on, Map<String, Object> claims) {
        comes(claims, 3600);
        return Journey.to(on, "runs").end();
    }

    private static void isRefused(HttpResponse<String> answer, String why) {
        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(location(answer)).isEqualTo("../../ui/?refused=" + why);
        assertThat(answer.headers().allValues("Set-Cookie"))
                .noneMatch(cookie -> cookie.startsWith(Sessions.cookie(false)));
    }

    @Test
    void aPersonSignsInWithTheRolesOfTheClaim() {
        HttpResponse<String> done = arrive(
                rig, Map.of("roles", List.of("acme:read", "acme:operator", "globex:read", "unknown", "a b:admin")));
        assertThat(done.statusCode()).isEqualTo(303);
        assertThat(done.uri().resolve(location(done))).isEqualTo(root(rig).resolve("ui/runs"));
        assertThat(cookie(done, Sessions.cookie(false)))
                .contains("HttpOnly", "SameSite=Strict", "Path=/")
                .doesNotContain("Secure");
        assertThat(cookie(done, "interlock_oidc")).contains("Max-Age=0");
        String cookie = cookie(done, Sessions.cookie(false)).split(";", 2)[0];
        Answer who = rig.get("/session", null, "Cookie", cookie).is(200);
        assertThat(who.text("tenant")).isEqualTo("acme");
        assertThat(who.text("role")).isEqualTo("operator");
        assertThat(who.text("label")).isEqualTo("carol@example.com");
        assertThat(who.json().getJsonArray("tenants")).hasToString("[\"acme\",\"globex\"]");
        assertThat(who.json().getBoolean("provider")).isTrue();
        Answer there = rig.get("/session", null, "Cookie", cookie, "X-Tenant", "globex")
                .is(200);
        assertThat(there.text("role")).isEqualTo("read");
        rig.get("/session", null, "Cookie", cookie, "X-Tenant", "initech").isProblem(403, "forbidden");

        String body = "{\"key\": \"oidc/1\", \"job\": \"quick\"}";
        rig.post("/runs", null, body, "Cookie", cookie).isProblem(403, "forbidden");
        String csrf = who.text("csrfToken");
        rig.post("/runs", null, body, "Cookie", cookie, Sessions.CSRF_HEADER, csrf)
                .is(201);
        rig.post("/runs", null, body, "Cookie", cookie, Sessions.CSRF_HEADER, csrf, "X-Tenant", "globex")
                .isProblem(403, "forbidden");
        assertThat(rig.store.audit().records(LockKey.of("acme", "oidc/1")))
                .anySatisfy(record -> assertThat(record.actor()).contains("carol@example.com"));

        rig.send(rig.request("/session", null, "Cookie", cookie).DELETE().build())
                .is(204);
        rig.get("/session", null, "Cookie", cookie).isProblem(401, "unauthenticated");
        HttpResponse<String> end = get(root(rig).resolve("auth/oidc/end"));
        assertThat(location(end))
                .startsWith(PROVIDER.endSessionEndpointUrl("ops").toString())
                .contains("client_id=" + CLIENT, "post_logout_redirect_uri=");
    }

    @Test
    void overTlsTheCookiesAreOnesThatOnlyThisHostCanSet() {
        URI start = root(rig).resolve("auth/oidc");
        HttpResponse<String> answer = get(start, "X-Forwarded-Proto", "https");
        assertThat(cookie(answer, "__Host-interlock_oidc"))
                .containsIgnoringCase("Secure")
                .containsIgnoringCase("HttpOnly")
                .contains("SameSite=Lax", "Path=/");
        assertThat(location(answer)).contains("redirect_uri=https%3A%2F%2F");
    }

    @Test
    void groupsGiveTheRolesThatTheConfigurationSays() {
        EngineRig own = rig(settings(List.of(
                new OidcSettings.Grant("ops-team", "acme", Role.OPERATOR),
                new OidcSettings.Grant("all", "acme", Role.READ))));
        try {
            HttpResponse<String> done = arrive(own, Map.of("roles", List.of("all", "ops-team")));
            String cookie = cookie(done, Sessions.cookie(false)).split(";", 2)[0];
            assertThat(own.get("/session", null, "Cookie", cookie).is(200).text("role"))
                    .isEqualTo("operator");
            isRefused(arrive(own, Map.of("roles", List.of("acme:admin"))), "no-role");
        } finally {
            own.closeAll();
        }
    }

    @Test
    void whoHasNoRoleIsToldSoAndOnRecord() {
        isRefused(arrive(rig, Map.of("roles", List.of("something", "acme:king"))), "no-role");
        await().untilAsserted(() -> assertThat(
                        rig.store.audit().records(AuditQuery.ofTenant(AccessKey.UNKNOWN.tenant(), 100)))
                .extracting(AuditRecord::action, AuditRecord::actor)
                .anySatisfy(each -> assertThat(each.toList().toString())
                        .contains("sign-in-refused")
                        .contains("carol@example.com")));
    }

    @Test
    void aTokenForAnotherClientDoesNotCount() {
        isRefused(arrive(rig, Map.of("roles", List.of("acme:admin"), "aud", "another-client")), "provider");
    }

    @Test
    void aTokenForSeveralReadersThatWasMadeForAnotherDoesNotCount() {
        Map<String, Object> claims = Map.of(
                "roles", List.of("acme:admin"), "aud", List.of("another-client", CLIENT), "azp", "another-client");
        isRefused(arrive(rig, claims), "provider");
    }

    @Test
    void anExpiredTokenDoesNotCount() {
        comes(Map.of("roles", List.of("acme:admin")), -3600);
        isRefused(Journey.to(rig, "").end(), "provider");
    }

    @Test
    void aTokenOfAnotherSignInDoesNotCount() {
        isRefused(arrive(rig, Map.of("roles", List.of("acme:admin"), "nonce", "of another")), "provider");
    }

    @Test
    void aStateCountsOnceAndInItsBrowserOnly() {
        comes(Map.of("roles", List.of("acme:read")), 3600);
        Journey journey = Journey.to(rig, "");
        isRefused(get(journey.callback), "state");
        Journey other = Journey.to(rig, "");
        isRefused(get(journey.callback, "Cookie", other.cookie), "state");
        assertThat(location(journey.end())).isEqualTo("../../ui/");
        isRefused(journey.end(), "state");
    }

    @Test
    void aCookieThatIsNoneIsNoState() {
        String made = "x".repeat(43) + ".A";
        isRefused(
                get(root(rig).resolve("auth/oidc/callback?code=a&state=b"), "Cookie", "interlock_oidc=" + made),
                "state");
    }

    @Test
    void aNameWithControlCharactersIsShownAsText() {
        HttpResponse<String> done = arrive(rig, Map.of("roles", List.of("acme:read"), "email", "carol\tof\nops"));
        String cookie = cookie(done, Sessions.cookie(false)).split(";", 2)[0];
        assertThat(rig.get("/session", null, "Cookie", cookie).is(200).text("label"))
                .isEqualTo("carol\\u0009of\\nops");
    }

    @Test
    void aRefusalOfTheProviderIsSaid() {
        Journey journey = Journey.to(rig, "");
        String denied = journey.callback.toString().replaceFirst("code=[^&]*", "error=access_denied");
        isRefused(get(URI.create(denied), "Cookie", journey.cookie), "denied");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.example/",
                "//evil.example",
                "/\\evil.example",
                "\\\\evil.example",
                "../../x",
                "runs/../../x",
                "javascript:alert(1)",
                "runs%0d%0aSet-Cookie: a=b"
            })
    void noOtherPlaceIsGoneTo(String page) {
        String encoded = URLEncoder.encode(page, StandardCharsets.UTF_8);
        HttpResponse<String> answer = get(root(rig).resolve("auth/oidc?to=" + encoded));
        assertThat(location(answer)).isEqualTo("../ui/?refused=page");
    }

    @Test
    void aProviderThatIsAwayIsSaid() {
        OidcSettings away = new OidcSettings(
                URI.create("http://127.0.0.1:1/none"),
                CLIENT,
                null,
                "Away",
                null,
                List.of("openid"),
                "roles",
                null,
                List.of());
        EngineRig own = rig(away);
        try {
            assertThat(location(get(root(own).resolve("auth/oidc")))).isEqualTo("../ui/?refused=provider");
            own.get("/session", Role.READ).is(200);
        } finally {
            own.closeAll();
        }
    }

    @Test
    void withoutAProviderThereIsNoSuchPlace() {
        EngineRig own = EngineRig.on("memory:");
        try {
            assertThat(get(root(own).resolve("auth/oidc")).statusCode()).isEqualTo(404);
        } finally {
            own.closeAll();
        }
    }
}
