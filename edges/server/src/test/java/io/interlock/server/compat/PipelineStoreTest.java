package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.engine.Job;
import io.interlock.server.AwayStore;
import io.interlock.server.EngineRig.Answer;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pipelines whose store is away. */
class PipelineStoreTest {

    @Test
    void lockStoreUnavailableIs503AndNothingRuns() {
        HandWork work = new HandWork();
        AwayStore store = new AwayStore(new MemoryStore(Environment.system()));
        CompatRig rig = new CompatRig(
                store.store(),
                PipelineApi.DOCUMENT,
                List.of(CompatRig.job(
                        CompatApi.PIPELINES,
                        Job.named("export").onConflict(ConflictPolicy.JOIN).handler(work))),
                List.of());
        try {
            String key = rig.key(Role.TRIGGER);
            store.away(true);
            Answer away = rig.post("/pipelines/run/export", key, "").isProblem(503, "store-unavailable");
            assertThat(away.header("Retry-After")).isNotBlank();
            assertThat(away.response().body()).doesNotContain("postgresql").doesNotContain("at io.interlock");
            assertThat(work.count()).isZero();
            store.away(false);
            String id = rig.post("/pipelines/run/export", key, "").is(200).text("pipeline_logging_id");
            work.working(id);
            work.succeed(id);
        } finally {
            store.away(false);
            rig.closeAll();
        }
    }
}
