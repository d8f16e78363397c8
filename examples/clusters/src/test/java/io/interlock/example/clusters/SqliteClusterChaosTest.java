package io.interlock.example.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** On a file; also what the example promises when nothing goes wrong but the cloud. */
class SqliteClusterChaosTest extends ClusterChaosContract {

    private Path file = Path.of("");

    @Override
    String store(Path folder) {
        file = folder.resolve("interlock.db");
        return "sqlite:" + file + "?timeout=1s";
    }

    /** Somebody else has the file for itself. */
    @Override
    void away(Runnable meanwhile) {
        execute("BEGIN EXCLUSIVE", meanwhile);
    }

    @Override
    void loseLeases() {
        execute("DELETE FROM interlock_lease", () -> {});
    }

    private void execute(String sql, Runnable then) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file + "?busy_timeout=20000");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            then.run();
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Test
    void aClusterLivesFromCreateToDestroyAndHandlersMayRunAgain() {
        String id = site.ready("life");
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
        site.weather("throttled", "throttle 2");
        JsonObject throttled = site.create("throttled");
        site.weather("poor", "quota");
        JsonObject poor = site.create("poor");
        site.weather("stormy", "throttle 99");
        JsonObject stormy = site.create("stormy");
        assertThat(site.awaitEnd(throttled.getString("job_id")).getInteger("attempt"))
                .isEqualTo(3);
        assertThat(site.status(throttled.getString("id"))).isEqualTo("READY");
        assertThat(site.awaitEnd(poor.getString("job_id")).getInteger("attempt"))
                .isEqualTo(1);
        assertThat(site.status(poor.getString("id"))).isEqualTo("FAILED");
        assertThat(site.awaitEnd(stormy.getString("job_id")).getInteger("attempt"))
                .isEqualTo(3);
        assertThat(site.get("/jobs/dead-letters").encode())
                .contains(stormy.getString("job_id"))
                .doesNotContain(throttled.getString("job_id"));
        await().atMost(LONG)
                .until(() -> site.alerts().contains(stormy.getString("job_id"))
                        && site.alerts().contains("dead-letter"));
    }

    @Test
    void aClusterWhoseLifetimeIsOverIsDestroyed() {
        String id = site.create("mortal", "1s").getString("id");
        site.awaitStatus(id, "DESTROYED");
        assertThat(site.pieces(id)).isEmpty();
    }

    @Test
    void workerCrashDuringDestroyIsAWorkerTimeoutThatSomebodyMends() {
        String id = site.ready("lost");
        site.weather("lost", "slow 0.5");
        // Tried once in these tests, so that its loss is final.
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
