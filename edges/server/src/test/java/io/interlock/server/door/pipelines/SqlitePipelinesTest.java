package io.interlock.server.door.pipelines;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.access.Role;
import io.interlock.config.Door;
import io.interlock.config.JobSettings;
import io.interlock.engine.Job;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.door.DoorRig;
import io.interlock.server.door.HandWork;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same on a file, also with several instances on it. */
class SqlitePipelinesTest extends PipelinesTest {

    @TempDir
    static Path folder;

    @Override
    String store() {
        return "sqlite:" + folder.resolve("pipelines.db");
    }

    @Test
    void instancesThatKnowNothingOfEachOtherRunAPipelineOnce() {
        HandWork work = new HandWork();
        List<JobSettings> jobs = List.of(DoorRig.job(
                Door.PIPELINES,
                Job.named("shared").onConflict(ConflictPolicy.JOIN).handler(work)));
        String url = "sqlite:" + folder.resolve("instances.db");
        DoorRig one = DoorRig.on(url, PipelineDoor.DOCUMENT, jobs);
        DoorRig other = DoorRig.on(url, PipelineDoor.DOCUMENT, jobs);
        String key = one.key(Role.OPERATOR);
        try {
            String id = one.post("/pipelines/run/shared", key, "").is(200).text("pipeline_logging_id");
            Answer second = other.post("/pipelines/run/shared", key, "").is(200);
            assertThat(second.text("status")).isEqualTo("RUNNING");
            assertThat(second.text("pipeline_logging_id")).isEqualTo(id);
            work.working(id);
            assertThat(work.count()).isEqualTo(1);
            work.succeed(id);
        } finally {
            other.closeAll();
            one.closeAll();
        }
    }
}
