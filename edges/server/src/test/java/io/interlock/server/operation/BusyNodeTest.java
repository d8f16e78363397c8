package io.interlock.server.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.access.Role;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.InterceptedStore;
import io.interlock.spi.run.RunStore;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node that is asked for more than it can look at, by one tenant, and the work of others. */
class BusyNodeTest {

    /** More than there are threads for calls that block. */
    private static final int MANY = 40;

    private final RunStore behind = (RunStore) Stores.open("memory:");
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final Semaphore findings = new Semaphore(1_000);
    private final AtomicInteger verifications = new AtomicInteger();
    private final EngineRig rig = EngineRig.on(slow());
    private final EngineRig other = EngineRig.on(behind);

    @AfterEach
    void close() {
        mayGoOn.countDown();
        findings.release(MANY);
        other.close();
        rig.closeAll();
    }

    @Test
    void whoeverLooksAtEverythingKeepsNobodyFromAFirstHeartbeat() throws Exception {
        List<CompletableFuture<HttpResponse<String>>> looks = looking("/runs", Role.READ);
        Answer run = other.post("/runs", Role.WORKER, "{\"key\": \"busy/1\", \"execution\": \"caller\"}")
                .is(201);
        // Of a run the node has never heard of, as after the end of the one it was started at.
        CompletableFuture<Answer> heartbeat = rig.postLater(
                "/runs/" + run.text("id") + "/heartbeat",
                Role.WORKER,
                "{\"leaseId\": \"" + run.text("leaseId") + "\", \"token\": " + run.number("token") + "}");
        heartbeat.get(20, TimeUnit.SECONDS).is(200);
        assertThat(rig.get("/runs/" + run.text("id"), Role.READ).status())
                .as("a look at one run")
                .isEqualTo(200);
        assertThat(looks).allMatch(look -> !look.isDone());
    }

    @Test
    void aTenantWithManyHeartbeatsLeavesTurnsToOthers() throws Exception {
        Answer run = other.post(
                        "/runs", other.key("beta", Role.WORKER), "{\"key\": \"busy/1\", \"execution\": \"caller\"}")
                .is(201);
        findings.drainPermits();
        double before = rig.activeRequests();
        List<CompletableFuture<Answer>> many = IntStream.range(0, MANY)
                .mapToObj(i -> rig.postLater(
                        "/runs/" + EngineRig.uuid() + "/heartbeat",
                        Role.WORKER,
                        "{\"leaseId\": \"" + EngineRig.uuid() + "\", \"token\": 1}"))
                .toList();
        await().until(() -> rig.activeRequests() == before + MANY && findings.hasQueuedThreads());
        CompletableFuture<HttpResponse<String>> heartbeat = rig.http()
                .sendAsync(
                        rig.posting(
                                "/runs/" + run.text("id") + "/heartbeat",
                                rig.key("beta", Role.WORKER),
                                "{\"leaseId\": \"" + run.text("leaseId") + "\", \"token\": " + run.number("token")
                                        + "}"),
                        BodyHandlers.ofString());
        await().until(() -> rig.activeRequests() == before + MANY + 1);
        await().until(() -> {
            findings.release();
            return heartbeat.isDone();
        });
        assertThat(many).anyMatch(each -> !each.isDone());
        assertThat(heartbeat.get().statusCode()).isEqualTo(200);
        findings.release(MANY);
        for (CompletableFuture<Answer> each : many) {
            each.get(20, TimeUnit.SECONDS).isProblem(404, "not-found");
        }
    }

    @Test
    void theAuditLogIsLookedAtOnceMoreForAllWhoAskMeanwhileAndOnAThreadOfItsOwn() throws Exception {
        CompletableFuture<HttpResponse<String>> first = rig.http()
                .sendAsync(rig.request("/audit/verify", rig.key(Role.OPERATOR)).build(), BodyHandlers.ofString());
        await().until(() -> verifications.get() == 1);
        List<CompletableFuture<HttpResponse<String>>> looks = looking("/audit/verify", Role.OPERATOR);
        assertThat(rig.get("/resources?key=nothing", Role.READ).status())
                .as("whatever else blocks")
                .isEqualTo(404);
        mayGoOn.countDown();
        for (CompletableFuture<HttpResponse<String>> look : looks) {
            assertThat(look.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        }
        assertThat(first.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        assertThat(verifications)
                .as("a look that has begun may be past what was changed before they asked")
                .hasValue(2);
        rig.get("/audit/verify", Role.OPERATOR).is(200);
        assertThat(verifications).as("a later request has it looked at anew").hasValue(3);
    }

    /** Asks many times for something that does not come, and waits until all have been heard. */
    private List<CompletableFuture<HttpResponse<String>>> looking(String path, Role role) {
        double before = rig.activeRequests();
        HttpRequest request = rig.request(path, rig.key(role)).build();
        List<CompletableFuture<HttpResponse<String>>> looks = IntStream.range(0, MANY)
                .mapToObj(i -> rig.http().sendAsync(request, BodyHandlers.ofString()))
                .toList();
        await().until(() -> rig.activeRequests() == before + MANY);
        return looks;
    }

    /** Says neither which runs there are, nor what one is, nor what the audit log begins with before it may. */
    private RunStore slow() {
        return InterceptedStore.of(behind, RunStore.class, call -> {
            if (call.step().equals("anchor")) {
                verifications.incrementAndGet();
                mayGoOn.await();
            } else if (call.step().equals("listRuns")) {
                mayGoOn.await();
            } else if (call.step().equals("findRun")) {
                findings.acquire();
            }
            return call.proceed();
        });
    }
}
