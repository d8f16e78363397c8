package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.Job;
import io.interlock.server.EngineRig.Answer;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Requests at the same time, of which none sees another: one is the first all the same. */
class RacesTest {

    private static final int MANY = 4;

    @Test
    void ofClustersOfOneNameOneIsAdded() {
        List<Answer> answers = together(
                "cluster-name/",
                ClusterApi.DOCUMENT,
                CompatRig.job(CompatApi.CLUSTERS, Job.named("CREATE")),
                "/clusters",
                "{\"name\": \"wanted\", \"platform\": \"aws\", \"base_domain\": \"example.com\"}");
        List<Answer> created =
                answers.stream().filter(answer -> answer.status() == 201).toList();
        assertThat(created).hasSize(1);
        assertThat(answers)
                .filteredOn(answer -> answer.status() == 409)
                .hasSize(MANY - 1)
                .allSatisfy(answer -> assertThat(
                                answer.json().getJsonObject("error").getString("cluster_id"))
                        .isEqualTo(created.get(0).text("id")));
    }

    @Test
    void ofOneSourceEventOneEventIsCreated() {
        List<Answer> answers = together(
                "source-event/",
                IngestionApi.DOCUMENT,
                CompatRig.job(CompatApi.INGESTION, Job.named("ingest")),
                "/api/v1/events/ingest",
                "{\"source_event_id\": \"486677\", \"track_id\": \"17\"}");
        assertThat(answers).filteredOn(answer -> answer.status() == 202).hasSize(1);
        assertThat(answers)
                .filteredOn(answer -> answer.status() == 409)
                .hasSize(MANY - 1)
                .allSatisfy(answer -> {
                    JsonObject error = answer.json().getJsonObject("error");
                    assertThat(error.getString("code")).isEqualTo("INGESTION_IN_PROGRESS");
                });
    }

    private static List<Answer> together(String prefix, String document, JobSettings job, String path, String body) {
        MeetingStore store = new MeetingStore(new MemoryStore(Environment.system()), prefix, MANY);
        CompatRig rig = new CompatRig(store.store(), document, List.of(job), List.of());
        try {
            return IntStream.range(0, MANY).mapToObj(n -> rig.postLater(path, Role.TRIGGER, body)).toList().stream()
                    .map(CompletableFuture::join)
                    .toList();
        } finally {
            rig.closeAll();
        }
    }
}
