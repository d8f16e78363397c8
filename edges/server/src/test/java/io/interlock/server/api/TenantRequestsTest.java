package io.interlock.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.access.Role;
import io.interlock.config.Limits;
import io.interlock.config.Listen;
import java.net.http.HttpResponse;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many requests of a tenant a node looks at, at once. */
class TenantRequestsTest {

    private final Rig rig = new Rig(new Listen("127.0.0.1", 0, null, false, null), limits());
    private final ExecutorService clients = Executors.newCachedThreadPool();
    private final AtomicInteger begun = new AtomicInteger();
    private final CompletableFuture<Reply> answer = new CompletableFuture<>();

    @AfterEach
    void stop() {
        answer.complete(Reply.nothing());
        clients.shutdown();
        rig.close();
    }

    private static Limits limits() {
        Limits usual = Limits.DEFAULT;
        return new Limits(
                usual.body(),
                usual.depth(),
                usual.requestsPerSecond(),
                usual.arrival(),
                usual.idle(),
                usual.streams(),
                new Limits.Tenant(100, 100, 2, 1, 100),
                usual.connections());
    }

    private CompletableFuture<Reply> held(Call call) {
        begun.incrementAndGet();
        return answer;
    }

    private CompletableFuture<HttpResponse<String>> later(Supplier<HttpResponse<String>> asking) {
        int before = begun.get();
        CompletableFuture<HttpResponse<String>> asked = CompletableFuture.supplyAsync(asking, clients);
        await().until(() -> begun.get() > before);
        return asked;
    }

    private HttpResponse<String> locks(String tenant) {
        return rig.get("/api/v1/locks", rig.key(tenant, Role.READ));
    }

    private HttpResponse<String> claim() {
        return rig.post(
                "/api/v1/claims",
                rig.key("acme", Role.WORKER),
                "{\"claimId\": \"" + UUID.randomUUID()
                        + "\", \"worker\": \"w\", \"jobs\": [\"j\"], \"max\": 1, \"wait\": \"30s\"}");
    }

    private static void isRefused(HttpResponse<String> response, String setting, int limit) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(429);
        assertThat(Rig.json(response).getString("code")).isEqualTo("tenant-limit");
        assertThat(Rig.json(response).getString("setting")).isEqualTo(setting);
        assertThat(Rig.json(response).getInteger("limit")).isEqualTo(limit);
        assertThat(response.headers().firstValue("Retry-After")).isPresent();
    }

    @Test
    void requestsBeyondTheLimitAreRefusedAndHeartbeatsAreNot() {
        rig.answer("listRuns", this::held);
        String reader = rig.key("acme", Role.READ);
        CompletableFuture<HttpResponse<String>> first = later(() -> rig.get("/api/v1/runs", reader));
        CompletableFuture<HttpResponse<String>> second = later(() -> rig.get("/api/v1/runs", reader));
        isRefused(locks("acme"), "limits.requests", 2);
        assertThat(locks("globex").statusCode()).as("another tenant").isEqualTo(200);
        String proof = "{\"leaseId\": \"" + UUID.randomUUID() + "\", \"token\": 1";
        String worker = rig.key("acme", Role.WORKER);
        String run = "/api/v1/runs/" + UUID.randomUUID();
        assertThat(rig.post(run + "/heartbeat", worker, proof + "}").statusCode())
                .isEqualTo(200);
        assertThat(rig.post(run + "/finish", worker, proof + ", \"outcome\": \"SUCCEEDED\"}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(rig.post("/api/v1/locks/renew", worker, proof + ", \"key\": \"k\", \"ttl\": \"30s\"}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(rig.post("/api/v1/locks/release", worker, proof + ", \"key\": \"k\"}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(claim().statusCode()).as("one that waits").isEqualTo(200);
        answer.complete(Reply.nothing());
        assertThat(first.join().statusCode() + second.join().statusCode()).isEqualTo(2 * 204);
        await().until(() -> locks("acme").statusCode() == 200);
    }

    @Test
    void pollsHaveALimitOfTheirOwn() {
        rig.answer("claimWork", this::held);
        CompletableFuture<HttpResponse<String>> waiting = later(this::claim);
        isRefused(claim(), "limits.waits", 1);
        assertThat(locks("acme").statusCode()).isEqualTo(200);
        answer.complete(Reply.nothing());
        assertThat(waiting.join().statusCode()).isEqualTo(204);
        await().until(() -> claim().statusCode() == 204);
    }
}
