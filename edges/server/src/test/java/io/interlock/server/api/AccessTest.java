package io.interlock.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.StoreUnavailableException;
import io.interlock.access.Role;
import io.interlock.config.Limits;
import io.interlock.config.Listen;
import io.interlock.engine.access.ApiKey;
import io.interlock.engine.access.KeyRing;
import io.interlock.service.Problem;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Who may do what, for whom. */
class AccessTest {

    /** More wrong keys than any machine sends before it is told to slow down. */
    private static final int MANY = 5_000;

    private static final Rig rig = new Rig();

    @AfterAll
    static void close() {
        rig.close();
    }

    @Test
    void aRefusalNamesTheRoleThatIsNeeded() {
        HttpResponse<String> answer = rig.get("/api/v1/config", rig.key("acme", Role.OPERATOR));
        JsonObject problem = Rig.json(answer);
        assertThat(problem.getString("code")).isEqualTo("forbidden");
        assertThat(problem.getString("neededRole")).isEqualTo("admin");
        assertThat(problem.getString("role")).isEqualTo("operator");
    }

    @Test
    void doingTheWorkOneselfNeedsTheRoleOfAWorker() {
        String body = "{\"key\": \"a\", \"execution\": \"caller\"}";
        assertThat(rig.post("/api/v1/runs", rig.key("acme", Role.TRIGGER), body).statusCode())
                .isEqualTo(403);
        assertThat(rig.post("/api/v1/runs", rig.key("acme", Role.WORKER), body).statusCode())
                .isEqualTo(200);
    }

    @Test
    void theTenantComesFromTheKeyOnly() {
        HttpResponse<String> mine = rig.get("/api/v1/runs", rig.key("acme", Role.READ));
        assertThat(Rig.json(mine).getString("tenant")).isEqualTo("acme");
        HttpResponse<String> pretended = rig.get("/api/v1/runs", rig.key("acme", Role.ADMIN), "X-Tenant", "other");
        assertThat(pretended.statusCode()).isEqualTo(403);
        HttpResponse<String> own = rig.get("/api/v1/runs", rig.key("acme", Role.READ), "X-Tenant", "acme");
        assertThat(own.statusCode()).isEqualTo(200);
        HttpResponse<String> admin = rig.get("/api/v1/runs", rig.key("default", Role.ADMIN), "X-Tenant", "other");
        assertThat(admin.statusCode())
                .as("an admin of default is not the bootstrap key")
                .isEqualTo(403);
    }

    @Test
    void theBootstrapKeyMayActForAnyTenant() {
        try (Rig fresh = new Rig()) {
            KeyRing.IssuedKey first = Rig.join(fresh.ring.bootstrap("start")).orElseThrow();
            String key = first.secret().text();
            assertThat(Rig.json(fresh.get("/api/v1/runs", key)).getString("tenant"))
                    .isEqualTo("default");
            assertThat(Rig.json(fresh.get("/api/v1/runs", key, "X-Tenant", "acme"))
                            .getString("tenant"))
                    .isEqualTo("acme");
            assertThat(fresh.get("/api/v1/runs", key, "X-Tenant", "no/tenant").statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void aKeyMayTravelAsBearer() {
        HttpRequest request = rig.request("/api/v1/runs", null)
                .header("Authorization", "Bearer " + rig.key("acme", Role.READ))
                .build();
        assertThat(rig.send(request).statusCode()).isEqualTo(200);
    }

    @Test
    void whatIsNoKeyIsNotToldApart() {
        String known = rig.key("acme", Role.READ);
        String unknown = ApiKey.draw(new java.util.Random(7)).text();
        for (String key : List.of(unknown, known.substring(0, 30), "nonsense", known + "x")) {
            HttpResponse<String> answer = rig.get("/api/v1/runs", key);
            assertThat(answer.statusCode()).isEqualTo(401);
            assertThat(answer.headers().firstValue("WWW-Authenticate")).isPresent();
            assertThat(Rig.json(answer).getString("detail"))
                    .isEqualTo("Send a valid API key as x-api-key or as Authorization Bearer.");
        }
    }

    @Test
    void twoDifferentKeysAreNone() {
        HttpRequest request = rig.request("/api/v1/runs", rig.key("acme", Role.READ))
                .header("Authorization", "Bearer " + rig.key("other", Role.READ))
                .build();
        assertThat(rig.send(request).statusCode()).isEqualTo(401);
    }

    @Test
    void aKeyInTheQueryIsRefused() {
        assertThat(rig.get("/api/v1/runs?api_key=" + rig.key("acme", Role.READ), null)
                        .statusCode())
                .isEqualTo(401);
        assertThat(rig.get("/api/v1/runs?api_key=x", rig.key("acme", Role.READ)).statusCode())
                .isEqualTo(400);
    }

    @Test
    void aRevokedKeyIsRefusedAtOnceOnItsOwnNode() {
        KeyRing.IssuedKey issued = rig.issue("acme", Role.READ);
        assertThat(rig.get("/api/v1/runs", issued.secret().text()).statusCode()).isEqualTo(200);
        Rig.join(rig.ring.revoke("acme", issued.kept().id(), "test", "leaked"));
        assertThat(rig.get("/api/v1/runs", issued.secret().text()).statusCode()).isEqualTo(401);
    }

    @Test
    void wrongKeysOfANeighbourDoNotLockOutARightOne() {
        try (Rig shared = new Rig()) {
            String right = shared.key("acme", Role.READ);
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < MANY && !statuses.contains(429); i++) {
                statuses.add(shared.get("/api/v1/runs", wrong()).statusCode());
            }
            assertThat(statuses).contains(401, 429).doesNotContain(200);
            assertThat(shared.get("/api/v1/runs", right).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void clientsOfATrustedProxyAreToldApart() {
        Listen listen = new Listen("127.0.0.1", 0, null, true, null, List.of("127.0.0.0/8", "10.0.0.0/8"));
        try (Rig proxied = new Rig(listen, Rig.LIMITS)) {
            int status = 401;
            for (int i = 0; i < MANY && status == 401; i++) {
                // What the client wrote itself stands first, and does not count.
                String passed = "192.0.2." + i % 256 + ", 203.0.113.7, 10.1.2.3";
                status = proxied.get("/api/v1/runs", wrong(), "X-Forwarded-For", passed)
                        .statusCode();
            }
            assertThat(status).isEqualTo(429);
            assertThat(proxied.get("/api/v1/runs", wrong(), "X-Forwarded-For", "203.0.113.8")
                            .statusCode())
                    .as("another client of the same proxy")
                    .isEqualTo(401);
        }
    }

    private static String wrong() {
        return ApiKey.draw(new SecureRandom()).text();
    }

    @Test
    void whoAsksTooOftenMustWaitAndOthersNeedNot() {
        Limits few = new Limits(1_000, 20, 5, Duration.ofSeconds(5), Duration.ofSeconds(60), 5);
        try (Rig slow = new Rig(new Listen("127.0.0.1", 0, null, false, null), few)) {
            List<Integer> statuses = new ArrayList<>();
            HttpResponse<String> last = slow.get("/api/v1/runs", slow.key("acme", Role.READ));
            for (int i = 0; i < 30 && last.statusCode() == 200; i++) {
                last = slow.get("/api/v1/runs", slow.key("acme", Role.READ));
                statuses.add(last.statusCode());
            }
            assertThat(statuses).contains(429);
            assertThat(Rig.json(last).getString("code")).isEqualTo("rate-limited");
            assertThat(last.headers().firstValue("Retry-After")).contains("1");
            assertThat(slow.get("/api/v1/runs", slow.key("other", Role.READ)).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void aStoreThatIsAwayLetsNobodyIn() {
        try (Rig away = new Rig()) {
            KeyRing.IssuedKey issued = away.issue("acme", Role.READ);
            away.store.down("findKey");
            HttpResponse<String> answer =
                    away.get("/api/v1/runs", issued.secret().text());
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.headers().firstValue("Retry-After")).isPresent();
            assertThat(answer.body()).doesNotContain("faulty");
            away.store.up();
            assertThat(away.get("/api/v1/runs", issued.secret().text()).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void failuresOfOperationsAreProblems() {
        try (Rig failing = new Rig()) {
            String key = failing.key("acme", Role.READ);
            failing.fail("listRuns", new StoreUnavailableException("fake:", "is away"));
            assertThat(failing.get("/api/v1/runs", key).statusCode()).isEqualTo(503);
            failing.fail("listJobs", new IllegalStateException("inside: secret"));
            HttpResponse<String> answer = failing.get("/api/v1/jobs", key, "X-Request-Id", "my-id-1");
            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(answer.body()).doesNotContain("secret", "Exception").contains("urn:request:my-id-1");
            failing.answer("listWorkers", call -> {
                throw Problem.notFound("worker", "w-1");
            });
            assertThat(failing.get("/api/v1/workers", key).statusCode()).isEqualTo(404);
        }
    }
}
