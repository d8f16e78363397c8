package io.interlock.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import io.interlock.config.Limits;
import io.interlock.config.OidcSettings;
import io.interlock.server.EngineRig;
import io.interlock.server.session.Sessions;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** ID tokens that differ from a good one in one thing each. The provider is a small one of this test, because a real one signs what it says. */
class ForgedTokenTest {

    private static final String CLIENT = "interlock-ui";
    private static final String KEY_ID = "k1";
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Pattern PARAMETER = Pattern.compile("[?&](state|nonce)=([^&]+)");

    private static HttpServer provider;
    private static String issuer;
    private static RSAKey key;
    private static RSAKey otherKey;
    private static EngineRig rig;

    /** What the provider answers when it is asked for the token of a code. */
    private static volatile String token = "";

    @BeforeAll
    static void open() throws IOException, JOSEException {
        key = new RSAKeyGenerator(2048).keyID(KEY_ID).generate();
        otherKey = new RSAKeyGenerator(2048).keyID(KEY_ID).generate();
        provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        issuer = "http://127.0.0.1:" + provider.getAddress().getPort();
        answer(
                "/.well-known/openid-configuration",
                () -> new JsonObject()
                        .put("issuer", issuer)
                        .put("authorization_endpoint", issuer + "/authorize")
                        .put("token_endpoint", issuer + "/token")
                        .put("jwks_uri", issuer + "/keys")
                        .encode());
        answer("/keys", () -> new JWKSet(key).toPublicJWKSet().toString());
        answer("/token", () -> new JsonObject().put("id_token", token).encode());
        provider.start();
        rig = new EngineRig(
                new MemoryStore(Environment.system()),
                Limits.DEFAULT,
                new OidcSettings(
                        URI.create(issuer),
                        CLIENT,
                        null,
                        "Example",
                        null,
                        List.of("openid"),
                        "roles",
                        null,
                        List.of()));
    }

    @AfterAll
    static void close() {
        rig.closeAll();
        provider.stop(0);
    }

    private static void answer(String path, Supplier<String> body) {
        provider.createContext(path, exchange -> {
            byte[] bytes = body.get().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }

    /** A person comes back from the provider, with a token that the provider makes for the nonce of this sign-in. */
    private static HttpResponse<String> arrive(Function<String, String> made) {
        HttpResponse<String> start = get("auth/oidc");
        Map<String, String> asked = new HashMap<>();
        Matcher parameters =
                PARAMETER.matcher(start.headers().firstValue("Location").orElseThrow());
        while (parameters.find()) {
            asked.put(parameters.group(1), parameters.group(2));
        }
        String cookie = start.headers().allValues("Set-Cookie").get(0).split(";", 2)[0];
        token = made.apply(asked.get("nonce"));
        return get("auth/oidc/callback?code=c&state=" + asked.get("state"), "Cookie", cookie);
    }

    private static HttpResponse<String> get(String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + rig.server.port() + "/" + path));
        return HTTP.sendAsync(
                        (headers.length == 0 ? request : request.headers(headers)).build(), BodyHandlers.ofString())
                .join();
    }

    private static JWTClaimsSet.Builder claims(String nonce) {
        Instant now = Instant.now();
        return new JWTClaimsSet.Builder()
                .issuer(issuer)
                .audience(CLIENT)
                .subject("mallory")
                .claim("nonce", nonce)
                .claim("roles", List.of("acme:admin"))
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plus(Duration.ofHours(1))));
    }

    private static String signed(JWTClaimsSet claims, JWSHeader header, JWSSigner signer) {
        try {
            SignedJWT made = new SignedJWT(header, claims);
            made.sign(signer);
            return made.serialize();
        } catch (JOSEException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static String signed(JWTClaimsSet claims, RSAKey by, String keyId) {
        try {
            return signed(
                    claims,
                    new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(keyId).build(),
                    new RSASSASigner(by));
        } catch (JOSEException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static String good(JWTClaimsSet claims) {
        return signed(claims, key, KEY_ID);
    }

    private static void isRefused(Function<String, String> made) {
        HttpResponse<String> answer = arrive(made);
        assertThat(answer.headers().firstValue("Location")).contains("../../ui/?refused=provider");
        assertThat(answer.headers().allValues("Set-Cookie"))
                .noneMatch(cookie -> cookie.startsWith(Sessions.cookie(false)));
    }

    @Test
    void theSameTokenUnforgedSignsIn() {
        HttpResponse<String> answer = arrive(nonce -> good(claims(nonce).build()));
        assertThat(answer.headers().firstValue("Location")).contains("../../ui/");
        assertThat(answer.headers().allValues("Set-Cookie"))
                .anyMatch(cookie -> cookie.startsWith(Sessions.cookie(false)));
    }

    @Test
    void aTokenSignedByAnotherKeyIsRefused() {
        isRefused(nonce -> signed(claims(nonce).build(), otherKey, KEY_ID));
        isRefused(nonce -> signed(claims(nonce).build(), otherKey, "unknown"));
    }

    @Test
    void aTokenWithoutASignatureIsRefused() {
        isRefused(nonce -> new PlainJWT(claims(nonce).build()).serialize());
        isRefused(nonce -> {
            String whole = good(claims(nonce).build());
            return whole.substring(0, whole.lastIndexOf('.') + 1);
        });
    }

    @Test
    void aTokenSignedWithThePublicKeyAsASecretIsRefused() {
        isRefused(nonce -> {
            try {
                return signed(
                        claims(nonce).build(),
                        new JWSHeader.Builder(JWSAlgorithm.HS256).keyID(KEY_ID).build(),
                        new MACSigner(key.toPublicJWK().toRSAPublicKey().getEncoded()));
            } catch (JOSEException impossible) {
                throw new AssertionError(impossible);
            }
        });
    }

    @Test
    void aTokenThatWasChangedAfterItWasSignedIsRefused() {
        isRefused(nonce -> {
            String[] parts = good(claims(nonce)
                            .claim("roles", List.of("acme:read"))
                            .build())
                    .split("\\.", -1);
            String changed = new PlainJWT(claims(nonce).build()).serialize().split("\\.", -1)[1];
            return parts[0] + "." + changed + "." + parts[2];
        });
    }

    @Test
    void aTokenForAnotherAudienceIsRefused() {
        isRefused(nonce -> good(claims(nonce).audience("another-client").build()));
    }

    @Test
    void aTokenOfAnotherIssuerIsRefused() {
        isRefused(nonce -> good(claims(nonce).issuer("https://other.example").build()));
    }

    @Test
    void aTokenWithAnotherNonceOrNoneIsRefused() {
        isRefused(nonce -> good(claims("of another sign-in").build()));
        isRefused(nonce -> good(claims(nonce).claim("nonce", null).build()));
    }

    @Test
    void anExpiredTokenIsRefused() {
        Date before = Date.from(Instant.now().minus(OidcProvider.SKEW).minusSeconds(5));
        isRefused(nonce -> good(claims(nonce).expirationTime(before).build()));
        isRefused(nonce -> good(claims(nonce).expirationTime(null).build()));
    }
}
