package io.interlock.server.access;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import io.interlock.config.OidcSettings;
import io.interlock.time.Environment;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.Base64;
import java.util.Date;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An OpenID provider: its addresses and keys as it publishes them, and ID tokens it vouches for. It is asked when the first person signs
 * in, so a server starts without it. Safe for use by many threads; nothing blocks.
 */
final class OidcProvider {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** How old its addresses and keys may be. A token with a key that is not among them makes them be asked for again. */
    private static final Duration FRESH = Duration.ofHours(1);

    private static final Duration BETWEEN_LOOKS = Duration.ofMinutes(1);

    static final Duration SKEW = Duration.ofMinutes(1);

    /** Signatures with a key pair only: a secret that both sides know proves nothing to a third. */
    private static final Set<JWSAlgorithm> ALGORITHMS = Set.of(
            JWSAlgorithm.RS256,
            JWSAlgorithm.RS384,
            JWSAlgorithm.RS512,
            JWSAlgorithm.PS256,
            JWSAlgorithm.PS384,
            JWSAlgorithm.PS512,
            JWSAlgorithm.ES256,
            JWSAlgorithm.ES384,
            JWSAlgorithm.ES512);

    private final OidcSettings settings;
    private final Environment environment;
    private final HttpClient http;
    private @Nullable Published published;

    OidcProvider(OidcSettings settings, Environment environment, Vertx vertx) {
        this.settings = settings;
        this.environment = environment;
        this.http = vertx.createHttpClient(new HttpClientOptions().setConnectTimeout((int) PATIENCE.toMillis()));
    }

    Future<JsonObject> document() {
        return published(FRESH).map(Published::document);
    }

    /** What the provider says about the person who brought {@code code}. It fails with {@link Unproven} unless the token proves it. */
    Future<Map<String, Object>> claims(String code, String verifier, String redirect, String nonce) {
        return published(FRESH)
                .compose(known -> exchange(known.document, code, verifier, redirect)
                        .compose(token -> {
                            boolean knowsKey = known.keys.getKeyByKeyId(keyId(token)) != null;
                            return (knowsKey ? Future.succeededFuture(known) : published(BETWEEN_LOOKS))
                                    .map(newer -> verify(token, newer.keys, nonce));
                        }));
    }

    private Future<String> exchange(JsonObject document, String code, String verifier, String redirect) {
        MultiMap form = MultiMap.caseInsensitiveMultiMap()
                .add("grant_type", "authorization_code")
                .add("code", code)
                .add("redirect_uri", redirect)
                .add("code_verifier", verifier);
        RequestOptions post = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setAbsoluteURI(address(document, "token_endpoint"))
                .putHeader(HttpHeaders.CONTENT_TYPE, "application/x-www-form-urlencoded");
        String secret = settings.clientSecret().orElse(null);
        JsonArray ways = document.getJsonArray("token_endpoint_auth_methods_supported");
        if (secret != null && (ways == null || ways.contains("client_secret_basic"))) {
            String both = encoded(settings.clientId()) + ":" + encoded(secret);
            post.putHeader(
                    HttpHeaders.AUTHORIZATION,
                    "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8)));
        } else {
            form.add("client_id", settings.clientId());
            if (secret != null) {
                form.add("client_secret", secret);
            }
        }
        String body = form.entries().stream()
                .map(field -> field.getKey() + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
        return json(post, Buffer.buffer(body)).map(answer -> {
            String token = answer.getString("id_token");
            if (token == null) {
                throw new Unproven("the provider sent no ID token");
            }
            return token;
        });
    }

    private static String keyId(String token) {
        try {
            return String.valueOf(SignedJWT.parse(token).getHeader().getKeyID());
        } catch (ParseException malformed) {
            throw new Unproven("the ID token is not a signed one");
        }
    }

    private Map<String, Object> verify(String token, JWKSet keys, String nonce) {
        DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
        processor.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, new ImmutableJWKSet<>(keys)));
        JWTClaimsSet exactly = new JWTClaimsSet.Builder()
                .issuer(settings.issuer().toString())
                .claim("nonce", nonce)
                .build();
        DefaultJWTClaimsVerifier<SecurityContext> verifier =
                new DefaultJWTClaimsVerifier<>(settings.clientId(), exactly, Set.of("sub", "exp", "iat")) {
                    @Override
                    protected Date currentTime() {
                        return Date.from(environment.clock().instant());
                    }
                };
        verifier.setMaxClockSkew((int) SKEW.toSeconds());
        processor.setJWTClaimsSetVerifier(verifier);
        try {
            JWTClaimsSet claims = processor.process(token, null);
            // A token for several readers says for which of them it was made.
            Object party = claims.getClaim("azp");
            if (party == null ? claims.getAudience().size() > 1 : !party.equals(settings.clientId())) {
                throw new Unproven("the ID token was made for another client");
            }
            return claims.getClaims();
        } catch (ParseException | BadJOSEException | JOSEException untrue) {
            throw new Unproven("the ID token does not count: " + untrue.getMessage());
        }
    }

    /** What the provider published, asked for again if it is as old as {@code age}. */
    private Future<Published> published(Duration age) {
        long now = environment.ticker().nanos();
        synchronized (this) {
            Published known = published;
            if (known != null && now - known.since < age.toNanos()) {
                return Future.succeededFuture(known);
            }
        }
        String base = settings.issuer().toString();
        String where = (base.endsWith("/") ? base : base + "/") + ".well-known/openid-configuration";
        return json(new RequestOptions().setAbsoluteURI(where), null)
                .compose(document -> {
                    if (!base.equals(document.getString("issuer"))) {
                        throw new Unproven(
                                "the provider calls itself '" + document.getString("issuer") + "', not '" + base + "'");
                    }
                    RequestOptions keys = new RequestOptions().setAbsoluteURI(address(document, "jwks_uri"));
                    return json(keys, null).map(set -> new Published(document, parsed(set), now));
                })
                .onSuccess(fresh -> {
                    synchronized (this) {
                        published = fresh;
                    }
                });
    }

    private static JWKSet parsed(JsonObject keys) {
        try {
            return JWKSet.parse(keys.getMap());
        } catch (ParseException malformed) {
            throw new Unproven("the provider publishes no keys: " + malformed.getMessage());
        }
    }

    static String address(JsonObject document, String name) {
        String address = document.getString(name);
        if (address == null) {
            throw new Unproven("the provider publishes no " + name);
        }
        return address;
    }

    private Future<JsonObject> json(RequestOptions asked, @Nullable Buffer body) {
        return http.request(asked.putHeader(HttpHeaders.ACCEPT, "application/json"))
                .compose(request -> body == null ? request.send() : request.send(body))
                .compose(answer -> answer.body().map(text -> {
                    if (answer.statusCode() != 200) {
                        throw new Unproven("the provider answered " + answer.statusCode() + " to " + asked.getMethod()
                                + " " + asked.getURI());
                    }
                    try {
                        return text.toJsonObject();
                    } catch (DecodeException malformed) {
                        throw new Unproven("the provider sent no JSON");
                    }
                }))
                .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** What a provider said about itself, with its keys, and when it was asked, by the ticker. */
    private record Published(JsonObject document, JWKSet keys, long since) {}

    /** A sign-in that the provider does not vouch for. The message is for the log of the server. */
    static final class Unproven extends RuntimeException {

        private static final long serialVersionUID = 1;

        Unproven(String why) {
            super(why);
        }
    }
}
