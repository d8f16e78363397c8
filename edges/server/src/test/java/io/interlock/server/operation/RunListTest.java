package io.interlock.server.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.access.Role;
import io.interlock.run.JobName;
import io.interlock.run.RunSpec;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.time.Environment;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Pages of runs. */
class RunListTest {

    private static final EngineRig rig = EngineRig.on("memory:");

    @AfterAll
    static void close() {
        rig.closeAll();
    }

    @Test
    void pagesStayTheSameWhateverComesAndEnds() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            ids.add(0, start("page/" + i));
        }
        List<String> seen = new ArrayList<>();
        String cursor = "";
        do {
            Answer page =
                    rig.get("/runs?key=page/*&limit=2" + cursor, Role.READ).is(200);
            seen.addAll(ids(page));
            cursor = page.json().containsKey("cursor") ? "&cursor=" + page.text("cursor") : "";
            // Newer ones come before the first page, and what ends stays where it is.
            start("page/later-" + seen.size());
            rig.post("/runs/" + ids.get(ids.size() - 1) + "/cancel", Role.TRIGGER, "{\"reason\": \"x\"}");
        } while (!cursor.isEmpty());
        assertThat(seen).isEqualTo(ids);
    }

    @Test
    void filtersHoldTogether() {
        String pending = start("filter/a");
        String cancelled = start("filter/b");
        rig.post("/runs/" + cancelled + "/cancel", Role.TRIGGER, "{\"reason\": \"x\"}")
                .is(202);
        String other = start("filter-other");
        assertThat(ids(rig.get("/runs?key=filter/*", Role.READ))).containsExactly(cancelled, pending);
        assertThat(ids(rig.get("/runs?key=filter/*&state=ABORTED", Role.READ))).containsExactly(cancelled);
        assertThat(ids(rig.get("/runs?key=filter/*&state=ABORTED,PENDING", Role.READ)))
                .containsExactly(cancelled, pending);
        assertThat(ids(rig.get("/runs?key=filter/a&job=remote&since=1h", Role.READ)))
                .containsExactly(pending);
        assertThat(ids(rig.get("/runs?key=filter/a&job=quick", Role.READ))).isEmpty();
        assertThat(ids(rig.get("/runs?key=filter-other", Role.READ))).containsExactly(other);
        assertThat(ids(rig.get("/runs?since=2099-01-01T00:00:00Z", Role.READ))).isEmpty();
    }

    @Test
    void fewRunsAmongManyAreFoundByTheirStates() {
        List<String> found = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            found.add(0, start("many", "among/" + i));
            rig.post("/runs/" + found.get(0) + "/cancel", rig.key("many", Role.TRIGGER), "{\"reason\": \"x\"}")
                    .is(202);
        }
        submitMany("many", 6_000);
        Answer first = rig.get("/runs?state=DEAD,ABORTED&limit=2", rig.key("many", Role.READ));
        assertThat(ids(first)).isEqualTo(found.subList(0, 2));
        Answer rest =
                rig.get("/runs?state=DEAD,ABORTED&limit=2&cursor=" + first.text("cursor"), rig.key("many", Role.READ));
        assertThat(ids(rest)).isEqualTo(found.subList(2, 3));
        assertThat(rest.json().containsKey("cursor")).isFalse();
    }

    @Test
    void oneRunAmongManyIsFoundByItsLabel() {
        String body = "{\"key\": \"labelled\", \"job\": \"remote\", \"labels\": {\"team\": \"a=b\"}}";
        String found =
                rig.post("/runs", rig.key("labels", Role.TRIGGER), body).is(201).text("id");
        submitMany("labels", 6_000);
        Answer page = rig.get("/runs?label=team=a=b&limit=1", rig.key("labels", Role.READ));
        assertThat(ids(page)).containsExactly(found);
        assertThat(page.json().containsKey("cursor")).isFalse();
        assertThat(ids(rig.get("/runs?label=team=a=b&state=PENDING", rig.key("labels", Role.READ))))
                .containsExactly(found);
        assertThat(ids(rig.get("/runs?label=team=a", rig.key("labels", Role.READ))))
                .isEmpty();
    }

    private static void submitMany(String tenant, int count) {
        Environment environment = Environment.system();
        rig.store
                .runs()
                .submit(IntStream.range(0, count)
                        .mapToObj(i -> SubmitRequest.of(
                                RunId.create(environment.clock(), environment.random()),
                                LockKey.of(tenant, "other/" + i),
                                RunSpec.of(new JobName("remote"), "test")))
                        .toList());
    }

    @Test
    void aCursorThatIsNoneIsRefused() {
        start("cursor/a");
        start("cursor/b");
        String good = rig.get("/runs?key=cursor/*&limit=1", Role.READ).is(200).text("cursor");
        String ofLocks = "bG9ja3M6YQ";
        for (String bad : List.of("x", good + "A", good.substring(1), ofLocks, "cnVuczphYmM", "%27%3B--")) {
            rig.get("/runs?cursor=" + bad, Role.READ).isProblem(400, "invalid-request");
        }
        rig.get("/runs?limit=201", Role.READ).isProblem(400, "invalid-request");
        rig.get("/runs?limit=0", Role.READ).isProblem(400, "invalid-request");
    }

    private static String start(String key) {
        return start(EngineRig.TENANT, key);
    }

    private static String start(String tenant, String key) {
        return rig.post("/runs", rig.key(tenant, Role.TRIGGER), "{\"key\": \"" + key + "\", \"job\": \"remote\"}")
                .is(201)
                .text("id");
    }

    private static List<String> ids(Answer page) {
        return page.is(200).json().getJsonArray("items").stream()
                .map(run -> ((JsonObject) run).getString("id"))
                .toList();
    }
}
