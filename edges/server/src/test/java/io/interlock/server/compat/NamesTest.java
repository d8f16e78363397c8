package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.Job;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.run.Transition;
import io.interlock.server.EngineRig.Answer;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A cluster that has failed leaves its name to others, and may still be destroyed: never are two of one name active. */
class NamesTest {

    private final HandWork work = new HandWork();
    private final OddStore store = new OddStore(new MemoryStore(Environment.system()));
    private final CompatRig rig = new CompatRig(
            store.store(),
            ClusterApi.DOCUMENT,
            List.of(
                    job("CREATE", Set.of("PENDING"), "CREATING", "READY"),
                    job("DESTROY", Set.of("READY", "FAILED"), "DESTROYING", "DESTROYED"),
                    CompatRig.job(CompatApi.CLUSTERS, Job.named("INSPECT").handler(work))),
            List.of());

    @AfterEach
    void close() {
        rig.closeAll();
    }

    @Test
    void whatIsLeftOfAFailedClusterIsDestroyedWhenItsHeirIsGone() {
        String failed = failed();
        Answer heir = create().is(201);
        JsonObject error = start(failed, "DESTROY").is(409).json().getJsonObject("error");
        assertThat(error.getString("code")).isEqualTo("CLUSTER_EXISTS");
        assertThat(error.getString("cluster_id")).isEqualTo(heir.text("id"));
        start(failed, "INSPECT").is(202);
        work.fail(heir.text("job_id"), new IllegalStateException("no quota"));
        await().until(() -> status(heir.text("id")).equals("FAILED"));
        start(failed, "DESTROY").is(202);
    }

    @Test
    void theNameOfAFailedClusterIsTakenWhileItIsDestroyed() {
        String failed = failed();
        String inspect = start(failed, "INSPECT").is(202).text("job_id");
        work.working(inspect);
        String destroy = start(failed, "DESTROY").is(202).text("job_id");
        assertThat(status(failed)).as("in line").isEqualTo("FAILED");
        create().is(409);
        work.succeed(inspect);
        work.working(destroy);
        create().is(409);
        work.succeed(destroy);
        await().until(() -> status(failed).equals("DESTROYED"));
        create().is(201);
    }

    @Test
    void aNameThatIsTakenWhileADestroyIsAskedForIsTheHeirs() {
        String failed = failed();
        AtomicReference<@Nullable Answer> heir = new AtomicReference<>();
        // It is the compatible API's own look for an heir that sees none.
        store.meanwhile("cluster-name/", 2, () -> heir.set(create().is(201)));
        JsonObject error = start(failed, "DESTROY").is(409).json().getJsonObject("error");
        assertThat(error.getString("code")).isEqualTo("CLUSTER_EXISTS");
        assertThat(error.getString("cluster_id"))
                .isEqualTo(Objects.requireNonNull(heir.get()).text("id"));
        Run destroy = destroys(failed).get(0);
        await().until(() -> rig.engine.find(destroy.id()).orElseThrow().state() == RunState.ABORTED);
        assertThat(status(failed)).isEqualTo("FAILED");
    }

    @Test
    void aNameIsNotTakenFromAClusterThatIsDestroyedMeanwhile() {
        String failed = failed();
        AtomicReference<@Nullable Answer> destroy = new AtomicReference<>();
        // The create request has seen by then that the failed cluster has no active run.
        store.meanwhile(
                "cluster/prod1", 3, () -> destroy.set(start(failed, "DESTROY").is(202)));
        JsonObject error = create().is(409).json().getJsonObject("error");
        assertThat(error.getString("cluster_id")).isEqualTo(failed);
        work.succeed(Objects.requireNonNull(destroy.get()).text("job_id"));
        await().until(() -> status(failed).equals("DESTROYED"));
        create().is(201);
    }

    @Test
    void aClusterThatIsDestroyedAfterItsHeirFailedHasItsNameAgain() {
        String failed = failed();
        failed();
        String destroy = start(failed, "DESTROY").is(202).text("job_id");
        work.working(destroy);
        assertThat(create().is(409).json().getJsonObject("error").getString("cluster_id"))
                .isEqualTo(failed);
        work.succeed(destroy);
        await().until(() -> status(failed).equals("DESTROYED"));
        create().is(201);
    }

    private List<Run> destroys(String cluster) {
        LockKey key = LockKey.of(CompatRig.TENANT, "cluster/" + cluster);
        return rig.engine
                .list(RunQuery.ofTenant(CompatRig.TENANT).of(key).doing(new JobName("DESTROY")))
                .runs();
    }

    private String failed() {
        Answer created = create().is(201);
        work.fail(created.text("job_id"), new IllegalStateException("no quota"));
        await().until(() -> status(created.text("id")).equals("FAILED"));
        return created.text("id");
    }

    private Answer create() {
        return rig.post("/clusters", Role.TRIGGER, """
                {"name": "prod1", "platform": "aws", "base_domain": "example.com"}""");
    }

    private Answer start(String cluster, String type) {
        return rig.post("/clusters/" + cluster + "/jobs", Role.TRIGGER, "{\"type\": \"" + type + "\"}");
    }

    private String status(String cluster) {
        return rig.get("/clusters/" + cluster, Role.READ).is(200).text("status");
    }

    private JobSettings job(String name, Set<String> from, String during, String success) {
        return CompatRig.job(
                CompatApi.CLUSTERS,
                Job.named(name)
                        .onConflict(ConflictPolicy.QUEUE)
                        .transition(new Transition("cluster", from, during, success, "FAILED"))
                        .handler(work));
    }
}
