package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.Job;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.run.Transition;
import io.interlock.server.EngineRig.Answer;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clusters with a lifetime, as hours go by. */
class LifetimesTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final HandWork work = new HandWork();
    private final JobSettings janitor = job("JANITOR_DESTROY", Set.of("READY"), "DESTROYING", "DESTROYED");
    private final OddStore store = new OddStore(new MemoryStore(Environment.system()));
    private final CompatRig rig = new CompatRig(
            store.store(),
            ClusterApi.DOCUMENT,
            List.of(
                    job("CREATE", Set.of("PENDING"), "CREATING", "READY"),
                    job("SCALE_WORKERS", Set.of("READY"), "SCALING", "READY"),
                    job("DESTROY", Set.of("READY", "FAILED"), "DESTROYING", "DESTROYED"),
                    CompatRig.job(
                            CompatApi.CLUSTERS,
                            Job.named("INSPECT")
                                    .onConflict(ConflictPolicy.QUEUE)
                                    .handler(work)),
                    janitor),
            List.of());

    private JobSettings job(String name, Set<String> from, String during, String success) {
        return CompatRig.job(
                CompatApi.CLUSTERS,
                Job.named(name)
                        .onConflict(ConflictPolicy.QUEUE)
                        .transition(new Transition("cluster", from, during, success, "FAILED"))
                        .handler(work));
    }

    @AfterEach
    void close() {
        rig.closeAll();
    }

    @Test
    void aClusterIsDestroyedByOneJobWhenItsLifetimeEndsHoweverManyNodesLook() {
        String id = ready("mortal", "8h");
        String other = ready("younger", "10h");
        String immortal = ready("immortal", "365d");
        lookAfter(HOUR.multipliedBy(7));
        assertThat(janitors()).isEmpty();
        // All see it ready, for its job cannot begin meanwhile.
        rig.engine.pause(CompatRig.TENANT, "cluster/mortal*", "ops", "all look at once", null);
        for (int node = 0; node < 3; node++) {
            lookAfter(HOUR.multipliedBy(9));
        }
        assertThat(janitors()).hasSize(1);
        rig.engine.resume(CompatRig.TENANT, "cluster/mortal*", "ops", "all have looked");
        Run run = janitors().get(0);
        assertThat(janitors()).hasSize(1);
        assertThat(run.key()).isEqualTo(LockKey.of(CompatRig.TENANT, "cluster/" + id));
        assertThat(run.spec().origin().reason()).contains("its lifetime ended at");
        assertThat(new JsonObject(run.spec().parameters()).getString("cluster_id"))
                .isEqualTo(id);
        assertThat(new JsonObject(run.spec().parameters()).getString("type")).isEqualTo("JANITOR_DESTROY");
        work.working(run.id().toString());
        assertThat(status(id)).isEqualTo("DESTROYING");
        lookAfter(HOUR.multipliedBy(9));
        work.succeed(run.id().toString());
        await().until(() -> status(id).equals("DESTROYED"));
        lookAfter(HOUR.multipliedBy(9));
        assertThat(janitors()).hasSize(1);
        assertThat(status(other)).isEqualTo("READY");
        assertThat(status(immortal)).isEqualTo("READY");
    }

    @Test
    void aClusterThatIsAtWorkIsDestroyedWhenItIsReady() {
        Answer created = create("busy", "1h");
        work.working(created.text("job_id"));
        lookAfter(HOUR.multipliedBy(2));
        assertThat(janitors()).isEmpty();
        work.succeed(created.text("job_id"));
        await().until(() -> status(created.text("id")).equals("READY"));
        lookAfter(HOUR.multipliedBy(2));
        assertThat(janitors()).hasSize(1);
    }

    @Test
    void whatIsOverLeavesNoLifetimeAndTheNameToOthers() {
        Answer failed = create("again", "1h");
        work.fail(failed.text("job_id"), new IllegalStateException("no quota"));
        await().until(() -> status(failed.text("id")).equals("FAILED"));
        lookAfter(HOUR.multipliedBy(2));
        assertThat(rig.get("/clusters/" + failed.text("id"), Role.READ).json().getValue("expires_at"))
                .isNull();
        String next = ready("again", "4h");
        lookAfter(HOUR.multipliedBy(2));
        assertThat(janitors()).isEmpty();
        assertThat(status(next)).isEqualTo("READY");
    }

    @Test
    void aDestroyThatEndedBeforeItBeganIsAskedForAnewAfterARest() {
        String id = ready("stubborn", "50s");
        rig.engine.pause(CompatRig.TENANT, "cluster/stubborn*", "ops", "none of them begins", null);
        lookAfter(Duration.ofSeconds(51));
        cancel(janitors().get(0));
        lookAfter(Duration.ofSeconds(52));
        assertThat(janitors()).as("it rests").hasSize(1);
        for (int node = 0; node < 3; node++) {
            lookAfter(Duration.ofSeconds(80));
        }
        assertThat(janitors()).hasSize(2);
        cancel(janitors().get(1));
        lookAfter(Duration.ofSeconds(80));
        assertThat(janitors()).as("it rests longer").hasSize(2);
        lookAfter(HOUR);
        assertThat(janitors()).hasSize(3);
        rig.engine.resume(CompatRig.TENANT, "cluster/stubborn*", "ops", "now it may");
        work.succeed(janitors().get(2).id().toString());
        await().until(() -> status(id).equals("DESTROYED"));
        lookAfter(HOUR.multipliedBy(2));
        assertThat(janitors()).hasSize(3);
    }

    private void cancel(Run run) {
        rig.engine.cancel(run.id(), "ops", "not now");
        await().until(() -> rig.engine.find(run.id()).orElseThrow().state().isTerminal());
    }

    @Test
    void aClusterWhoseFirstJobNeverBeganLeavesItsName() {
        rig.engine.pause(CompatRig.TENANT, "cluster/stillborn*", "ops", "none of them begins", null);
        Answer first = create("stillborn", "8h");
        rig.post("/clusters", Role.TRIGGER, wish("stillborn", "8h")).is(409);
        cancel(rig.engine.find(RunId.parse(first.text("job_id"))).orElseThrow());
        Answer next = create("stillborn", "8h");
        assertThat(next.text("id")).isNotEqualTo(first.text("id"));
        assertThat(status(first.text("id"))).isEqualTo("FAILED");
        assertThat(status(next.text("id"))).isEqualTo("PENDING");
    }

    @Test
    void aJobThatOnlyLooksAtAClusterIsNotItsBeginning() {
        rig.engine.pause(CompatRig.TENANT, "cluster/inspected*", "ops", "none of them begins", null);
        Answer first = create("inspected", "8h");
        String inspect = rig.post("/clusters/" + first.text("id") + "/jobs", Role.TRIGGER, "{\"type\": \"INSPECT\"}")
                .is(202)
                .text("job_id");
        cancel(rig.engine.find(RunId.parse(first.text("job_id"))).orElseThrow());
        rig.post("/clusters", Role.TRIGGER, wish("inspected", "8h")).is(409);
        rig.engine.resume(CompatRig.TENANT, "cluster/inspected*", "ops", "now it may");
        work.succeed(inspect);
        await().until(() -> rig.engine.find(RunId.parse(inspect)).orElseThrow().state() == RunState.SUCCEEDED);
        assertThat(status(first.text("id"))).isEqualTo("PENDING");
        create("inspected", "8h");
        assertThat(status(first.text("id"))).isEqualTo("FAILED");
    }

    @Test
    void aClusterWhoseFirstJobNeverBeganIsOverWhenItsLifetimeEnds() {
        rig.engine.pause(CompatRig.TENANT, "cluster/late*", "ops", "none of them begins", null);
        Answer created = create("late", "1h");
        lookAfter(HOUR.multipliedBy(2));
        assertThat(status(created.text("id"))).as("it may still begin").isEqualTo("PENDING");
        cancel(rig.engine.find(RunId.parse(created.text("job_id"))).orElseThrow());
        lookAfter(Duration.ZERO);
        assertThat(status(created.text("id"))).as("it may be created again").isEqualTo("PENDING");
        lookAfter(HOUR.multipliedBy(2));
        assertThat(status(created.text("id"))).isEqualTo("FAILED");
        lookAfter(HOUR.multipliedBy(2));
        assertThat(rig.get("/clusters/" + created.text("id"), Role.READ).json().getValue("expires_at"))
                .isNull();
    }

    @Test
    void aClusterWhoseServerDiedBeforeItsFirstJobLeavesItsNameAfterAMinute() {
        ClusterId id = new ClusterId("orphan-1k9x0c3f7q", "orphan", "example.com", "aws");
        new ClusterRecords(rig.engine).add(CompatRig.TENANT, id, null, Actor.of("a server that dies"));
        rig.post("/clusters", Role.TRIGGER, wish("orphan", "8h")).is(409);
        store.ahead(Duration.ofMinutes(2));
        create("orphan", "8h");
        assertThat(status(id.toString())).isEqualTo("FAILED");
    }

    @Test
    void theClockOfTheStoreSaysWhenALifetimeIsOver() {
        store.ahead(HOUR.multipliedBy(-10));
        Instant before = rig.environment.clock().instant();
        String id = ready("skewed", "1h");
        assertThat(Instant.parse(rig.get("/clusters/" + id, Role.READ).text("expires_at")))
                .isBefore(before.minus(HOUR.multipliedBy(8)));
        Lifetimes lifetimes = new Lifetimes(rig.engine, janitor, rig.engine.queries()::time);
        lifetimes.round();
        assertThat(janitors()).isEmpty();
        store.ahead(HOUR.multipliedBy(-8));
        lifetimes.round();
        assertThat(janitors()).hasSize(1);
    }

    @Test
    void aClusterThatCannotBeLookedAtStopsNoOther() {
        String unlucky = ready("aaa", "1h");
        String other = ready("bbb", "1h");
        rig.engine.setResource(
                LockKey.of(CompatRig.TENANT, "cluster-name/a.example.com.aws"),
                "cluster-name",
                "a-1k9x0c3f7q until further notice",
                0,
                "ops",
                "a slip of the pen");
        store.silentAbout("cluster/" + unlucky);
        lookAfter(HOUR.multipliedBy(2));
        assertThat(janitors()).extracting(run -> run.key().name()).containsExactly("cluster/" + other);
    }

    /** What a node does whose clock shows that {@code time} has passed. */
    private void lookAfter(Duration time) {
        Instant then = rig.environment.clock().instant().plus(time);
        new Lifetimes(rig.engine, janitor, InstantSource.fixed(then)).round();
    }

    private List<Run> janitors() {
        return rig.engine.list(RunQuery.ofTenant(CompatRig.TENANT)).runs().stream()
                .filter(run -> run.job().value().equals("JANITOR_DESTROY"))
                .toList();
    }

    private Answer create(String name, String ttl) {
        return rig.post("/clusters", Role.TRIGGER, wish(name, ttl)).is(201);
    }

    private static String wish(String name, String ttl) {
        return new JsonObject()
                .put("name", name)
                .put("platform", "aws")
                .put("base_domain", "example.com")
                .put("ttl", ttl)
                .encode();
    }

    private String ready(String name, String ttl) {
        Answer created = create(name, ttl);
        work.succeed(created.text("job_id"));
        await().until(() -> status(created.text("id")).equals("READY"));
        return created.text("id");
    }

    private String status(String id) {
        return rig.get("/clusters/" + id, Role.READ).is(200).text("status");
    }
}
