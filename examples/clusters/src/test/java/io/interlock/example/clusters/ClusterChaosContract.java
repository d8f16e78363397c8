package io.interlock.example.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The three chaos tests of the original document, over HTTP, one more for a store that has lost its leases, and the
 * behaviour when only the cloud fails. The clusters of all tests are created together, before anything is killed.
 */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ClusterChaosContract {

    private static final JsonObject NOTHING = new JsonObject();
    private static final Duration LONG = Duration.ofSeconds(40);
    private static final List<String> WHOLE =
            List.of("load-balancer", "master-1", "master-2", "master-3", "network", "ready", "worker-1", "worker-2");

    private Site site;
    private final Map<String, JsonObject> made = new HashMap<>();

    /** A store, whose files are in {@code folder} if it has any. */
    abstract String store(Path folder);

    /** The store does not answer while {@code meanwhile} runs. */
    abstract void away(Runnable meanwhile);

    /** Deletes the lease of a key, like a restored backup. */
    abstract void loseLease(String key);

    @BeforeAll
    void open(@TempDir Path folder) {
        site = new Site(folder, store(folder));
        site.weather("throttled", "throttle 2");
        site.weather("poor", "quota");
        site.weather("stormy", "throttle 99");
        for (String name : List.of("wanted-gone", "amnesia", "lost", "life", "throttled", "poor", "stormy")) {
            made.put(name, site.create(name));
        }
        made.put("mortal", site.create("mortal", "1s"));
        made.values().forEach(cluster -> site.awaitEnd(cluster.getString("job_id")));
    }

    private String ready(String name) {
        String id = id(name);
        assertThat(site.status(id)).isEqualTo("READY");
        return id;
    }

    private String id(String name) {
        return Objects.requireNonNull(made.get(name)).getString("id");
    }

    private JsonObject created(String name) {
        return site.awaitEnd(Objects.requireNonNull(made.get(name)).getString("job_id"));
    }

    @AfterAll
    void close() {
        site.close();
    }

    @AfterEach
    void noTwoWereEverInOneInstallDirectory() {
        assertThat(site.meetings()).isEmpty();
    }

    @Test
    void workerCrashDuringCreate() {
        site.weather("crash", "slow 0.3");
        JsonObject created = site.create("crash");
        String id = created.getString("id");
        site.awaitInstaller(id, "network");
        site.worker().kill();
        site.weather("crash", "fine");
        site.startWorker();
        JsonObject job = site.awaitEnd(created.getString("job_id"));
        assertThat(job.getString("status")).isEqualTo("SUCCEEDED");
        assertThat(job.getInteger("attempt")).isEqualTo(2);
        assertThat(site.get("/api/v1/runs/" + created.getString("job_id")).encode())
                .contains("WORKER_TIMEOUT");
        assertThat(site.status(id)).isEqualTo("READY");
        assertThat(site.pieces(id)).isEqualTo(WHOLE);
    }

    @Test
    void concurrentDestroyAttempts() {
        String id = ready("wanted-gone");
        List<HttpResponse<String>> answers =
                Stream.generate(() -> site.start(id, "DESTROY", NOTHING)).limit(3).toList().stream()
                        .map(CompletableFuture::join)
                        .toList();
        List<JsonObject> jobs = answers.stream()
                .filter(answer -> answer.statusCode() == 202)
                .map(answer -> site.awaitEnd(new JsonObject(answer.body()).getString("job_id")))
                .toList();
        assertThat(answers).allMatch(answer -> answer.statusCode() == 202 || answer.statusCode() == 409);
        assertThat(jobs)
                .filteredOn(job -> job.getString("status").equals("SUCCEEDED"))
                .hasSize(1);
        assertThat(jobs)
                .filteredOn(job -> job.getString("status").equals("FAILED"))
                .allMatch(job -> job.getString("error_code").equals("INVALID_STATE") && job.getInteger("attempt") == 0);
        assertThat(site.status(id)).isEqualTo("DESTROYED");
        assertThat(site.pieces(id)).isEmpty();
    }

    @Test
    void databaseConnectionLoss() {
        site.weather("cut-off", "slow 0.8");
        JsonObject created = site.create("cut-off");
        String id = created.getString("id");
        site.awaitInstaller(id, "network");
        // The worker gets no answers to its heartbeats, and stops before its lease ends.
        away(() -> site.awaitNoInstaller(id));
        assertThat(site.pieces(id)).as("it stopped halfway").doesNotContain("ready");
        site.weather("cut-off", "fine");
        JsonObject job = site.awaitEnd(created.getString("job_id"));
        assertThat(job.getString("status")).isEqualTo("SUCCEEDED");
        assertThat(job.getInteger("attempt")).as("the first one lost its lock").isEqualTo(2);
        assertThat(site.status(id)).isEqualTo("READY");
        assertThat(site.pieces(id)).isEqualTo(WHOLE);
    }

    @Test
    void lostLockStateIsToldAndTheClusterHasFailed() {
        String id = ready("amnesia");
        site.weather("amnesia", "slow 1");
        String job = site.job(id, "DESTROY", NOTHING);
        site.awaitStatus(id, "DESTROYING");
        loseLease("cluster/" + id);
        JsonObject lost = site.awaitEnd(job);
        assertThat(lost.getString("status")).isEqualTo("FAILED");
        assertThat(lost.getString("error_code")).isEqualTo("LOCK_STATE_LOST");
        assertThat(site.status(id)).isEqualTo("FAILED");
        await().atMost(LONG).until(() -> site.alerts().contains("lock-state-lost"));
    }

    @Test
    void aClusterLivesFromCreateToDestroyAndHandlersMayRunAgain() {
        String id = ready("life");
        assertThat(site.pieces(id)).isEqualTo(WHOLE);
        String scale = site.job(id, "SCALE_WORKERS", new JsonObject().put("workers", 4));
        assertThat(site.awaitEnd(scale).getString("status")).isEqualTo("SUCCEEDED");
        assertThat(site.pieces(id)).contains("worker-4");
        String again = site.job(id, "SCALE_WORKERS", new JsonObject().put("workers", 4));
        assertThat(site.awaitEnd(again).getString("status")).isEqualTo("SUCCEEDED");
        String wrong = site.job(id, "SCALE_WORKERS", new JsonObject().put("workers", "many"));
        assertThat(site.awaitEnd(wrong).getInteger("attempt")).isEqualTo(1);
        assertThat(site.status(id)).isEqualTo("FAILED");
        String destroy = site.job(id, "DESTROY", NOTHING);
        assertThat(site.awaitEnd(destroy).getString("status")).isEqualTo("SUCCEEDED");
        assertThat(site.pieces(id)).isEmpty();
        assertThat(site.status(id)).isEqualTo("DESTROYED");
    }

    @Test
    void failuresThatPassAreTriedAgainAndOthersAreNot() {
        assertThat(created("throttled").getInteger("attempt")).isEqualTo(3);
        assertThat(site.status(id("throttled"))).isEqualTo("READY");
        assertThat(created("poor").getInteger("attempt")).isEqualTo(1);
        assertThat(site.status(id("poor"))).isEqualTo("FAILED");
        JsonObject stormy = created("stormy");
        assertThat(stormy.getInteger("attempt")).isEqualTo(3);
        assertThat(site.get("/jobs/dead-letters").encode())
                .contains(stormy.getString("job_id"))
                .doesNotContain(created("throttled").getString("job_id"));
        await().atMost(LONG)
                .until(() -> site.alerts().contains(stormy.getString("job_id"))
                        && site.alerts().contains("dead-letter"));
    }

    @Test
    void aClusterWhoseLifetimeIsOverIsDestroyed() {
        String id = id("mortal");
        site.awaitStatus(id, "DESTROYED");
        assertThat(site.pieces(id)).isEmpty();
    }

    @Test
    void workerCrashDuringDestroyIsAWorkerTimeoutThatSomebodyMends() {
        String id = ready("lost");
        site.weather("lost", "slow 0.3");
        // One attempt in these tests, so that its loss is final.
        String job = site.job(id, "DESTROY", NOTHING);
        await().atMost(LONG).until(() -> !site.pieces(id).contains("load-balancer"));
        site.worker().kill();
        site.weather("lost", "fine");
        site.startWorker();
        JsonObject lost = site.awaitEnd(job);
        assertThat(lost.getString("status")).isEqualTo("FAILED");
        assertThat(lost.getString("error_code")).isEqualTo("WORKER_TIMEOUT");
        assertThat(site.status(id)).isEqualTo("FAILED");
        assertThat(site.pieces(id)).isNotEmpty();
        site.job(id, "DESTROY", NOTHING);
        site.awaitStatus(id, "DESTROYED");
        assertThat(site.pieces(id)).isEmpty();
    }
}
