package io.interlock.example.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The three chaos tests of the document this example comes from, over HTTP, and one more: a store that has lost its leases. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ClusterChaosContract {

    static final JsonObject NOTHING = new JsonObject();
    static final Duration LONG = Duration.ofSeconds(40);
    static final List<String> WHOLE =
            List.of("load-balancer", "master-1", "master-2", "master-3", "network", "ready", "worker-1", "worker-2");

    Site site;

    /** A store, whose files are in {@code folder} if it has any. */
    abstract String store(Path folder);

    /** The store answers nobody while {@code meanwhile} runs. */
    abstract void away(Runnable meanwhile);

    /** Takes all leases out of the store, as a restored backup would. */
    abstract void loseLeases();

    @BeforeAll
    void open(@TempDir Path folder) {
        site = new Site(folder, store(folder));
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
        site.weather("crash", "slow 0.5");
        JsonObject created = site.create("crash");
        String id = created.getString("id");
        site.awaitInstaller(id, "master-1");
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
        String id = site.ready("wanted-gone");
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
        site.weather("cut-off", "slow 1");
        JsonObject created = site.create("cut-off");
        String id = created.getString("id");
        site.awaitInstaller(id, "network");
        // Whoever works hears that no heartbeat gets through, and stops before its lease ends.
        away(() -> site.awaitNoInstaller(id));
        assertThat(site.pieces(id)).as("it stopped halfway").doesNotContain("ready");
        site.weather("cut-off", "fine");
        JsonObject job = site.awaitEnd(created.getString("job_id"));
        assertThat(job.getString("status")).isEqualTo("SUCCEEDED");
        assertThat(site.status(id)).isEqualTo("READY");
        assertThat(site.pieces(id)).isEqualTo(WHOLE);
    }

    @Test
    void lostLockStateIsToldAndTheClusterHasFailed() {
        String id = site.ready("amnesia");
        site.weather("amnesia", "slow 1");
        String job = site.job(id, "DESTROY", NOTHING);
        site.awaitStatus(id, "DESTROYING");
        loseLeases();
        JsonObject lost = site.awaitEnd(job);
        assertThat(lost.getString("status")).isEqualTo("FAILED");
        assertThat(lost.getString("error_code")).isEqualTo("LOCK_STATE_LOST");
        assertThat(site.status(id)).isEqualTo("FAILED");
        await().atMost(LONG).until(() -> site.alerts().contains("lock-state-lost"));
    }
}
