package io.interlock.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.access.Role;
import io.interlock.config.Listen;
import io.interlock.server.api.Rig;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HealthTest {

    @Test
    void aServerOnThisHostSaysThatItLivesAndIsReady() {
        try (Rig rig = new Rig()) {
            HttpResponse<String> live = rig.get("/health/live", null);
            assertThat(live.statusCode()).isEqualTo(200);
            assertThat(live.headers().firstValue("Date").orElseThrow())
                    .matches("[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT");
            assertThat(Rig.json(rig.get("/health/ready", null)).getString("status"))
                    .isEqualTo("UP");
        }
    }

    @Test
    void aStoreThatIsAwayMakesItUselessNotDead() {
        try (Rig rig = new Rig()) {
            rig.obstacle = Optional.of("store is away");
            HttpResponse<String> ready = rig.get("/health/ready", null);
            assertThat(ready.statusCode()).isEqualTo(503);
            assertThat(Rig.json(ready).getString("reason")).isEqualTo("store is away");
            assertThat(rig.get("/health/live", null).statusCode()).isEqualTo(200);
            rig.obstacle = Optional.empty();
            assertThat(rig.get("/health/ready", null).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void monitorsThatWantNoBodyAreAnswered() {
        try (Rig rig = new Rig()) {
            for (String path : List.of("/health/live", "/health/ready", "/metrics")) {
                HttpResponse<String> head = rig.send(rig.request(path, null)
                        .method("HEAD", BodyPublishers.noBody())
                        .build());
                assertThat(head.statusCode()).as(path).isEqualTo(200);
                assertThat(head.body()).isEmpty();
                assertThat(rig.get(path, null).body())
                        .as("on the same connection")
                        .isNotEmpty();
            }
            rig.obstacle = Optional.of("store is away");
            assertThat(rig.send(rig.request("/health/ready", null)
                                    .method("HEAD", BodyPublishers.noBody())
                                    .build())
                            .statusCode())
                    .isEqualTo(503);
        }
    }

    @Test
    void metricsAreServedAsPrometheusReadsThem() {
        try (Rig rig = new Rig()) {
            rig.get("/health/live", null);
            HttpResponse<String> metrics = rig.get("/metrics", null);
            assertThat(metrics.statusCode()).isEqualTo(200);
            assertThat(metrics.headers().firstValue("Content-Type").orElseThrow())
                    .startsWith("text/plain");
            assertThat(metrics.body())
                    .contains("vertx_http_server_requests_total")
                    .doesNotContain("/health/live");
        }
    }

    @Test
    void aPortOfTheirOwnNeedsNoKeyAndTheMainPortDoesNotHaveThem() {
        try (Rig rig = new Rig(new Listen("127.0.0.1", 0, 0, false, null), Rig.LIMITS)) {
            assertThat(rig.server.managementPort()).isNotEqualTo(rig.server.port());
            assertThat(rig.get("/metrics", null).statusCode()).isEqualTo(404);
            HttpRequest there = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + rig.server.managementPort() + "/metrics"))
                    .build();
            assertThat(rig.send(there).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void behindAProxyNobodyIsTakenForLocal() {
        try (Rig rig = new Rig(new Listen("127.0.0.1", 0, null, true, null), Rig.LIMITS)) {
            assertThat(rig.get("/metrics", null).statusCode()).isEqualTo(401);
            assertThat(rig.get("/health/ready", null).statusCode()).isEqualTo(401);
            assertThat(rig.get("/health/ready", rig.key("acme", Role.READ)).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void metricsAreForWhatNamesThisHostAndComesThroughNoProxy() {
        try (Rig rig = new Rig()) {
            String request = "GET /metrics HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n";
            for (String host :
                    List.of("Host: localhost", "Host: 127.0.0.1:8080", "Host: [::1]:8080", "Host: LOCALHOST")) {
                assertThat(RawClient.exchange(rig.server.port(), request.formatted(host), 5_000))
                        .as(host)
                        .startsWith("HTTP/1.1 200");
            }
            for (String host : List.of(
                    "Host: rebound.example",
                    "Host: 127.0.0.1.rebound.example",
                    "Host: localhost.rebound.example",
                    "Host: localhost\r\nX-Forwarded-For: 203.0.113.7",
                    "Host: localhost\r\nForwarded: for=203.0.113.7",
                    "Host: localhost\r\nVia: 1.1 proxy")) {
                assertThat(RawClient.exchange(rig.server.port(), request.formatted(host), 5_000))
                        .as(host)
                        .startsWith("HTTP/1.1 401");
            }
        }
    }

    @Test
    void theBootstrapKeyShowsMetrics() {
        try (Rig rig = new Rig(new Listen("127.0.0.1", 0, null, true, null), Rig.LIMITS)) {
            String bootstrap =
                    Rig.join(rig.ring.bootstrap("test")).orElseThrow().secret().text();
            assertThat(rig.get("/metrics", bootstrap).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void metricsAreOfAllTenantsSoNoTenantsKeyShowsThem() {
        try (Rig rig = new Rig(new Listen("127.0.0.1", 0, null, true, null), Rig.LIMITS)) {
            assertThat(rig.get("/metrics", rig.key("acme", Role.READ)).statusCode())
                    .isEqualTo(403);
            HttpResponse<String> refused = rig.get("/metrics", rig.key("acme", Role.ADMIN));
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).contains("--management-port").doesNotContain("vertx_http");
            assertThat(rig.get("/metrics", rig.key("default", Role.OPERATOR)).statusCode())
                    .isEqualTo(403);
            assertThat(rig.get("/metrics", rig.key("default", Role.ADMIN)).statusCode())
                    .as("an admin of one tenant like any other")
                    .isEqualTo(403);
        }
    }
}
