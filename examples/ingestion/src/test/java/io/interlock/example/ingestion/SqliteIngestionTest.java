package io.interlock.example.ingestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Events in a file. */
class SqliteIngestionTest extends IngestionContract {

    @Override
    Place place(Path folder) {
        return Place.files(folder);
    }

    @Test
    void anIngestionThatTakesTooLongEndsWithItsStage() throws Exception {
        String event = rig.ingested(client, "124");
        rig.site.moods().hold("/events/124/races/2");
        rig.submit("""
                {"job": "ingest", "key": "event/%s", "lease": "2s", "maxRuntime": "1s"}""".formatted(event));
        assertThat(rig.failed(client, event, "INGESTION_TIMEOUT"))
                .containsEntry("error.stage", "races")
                .containsEntry("ingest_depth", "laps_full");
        assertThat(rig.ingested(client, "124")).as("its lock is free").isEqualTo(event);
    }

    @Test
    void theProgramSaysWhoIsInTheWay() throws Exception {
        rig.fetch.all("126");
        rig.site.moods().hold("/events/126/races/2");
        String event = client.start("126", "17", "0s");
        await().until(() -> rig.site.moods().waiting() == 1);
        Rig.Said busy = rig.program("io.interlock.example.ingestion.Ingest", "126", "17");
        assertThat(busy.text()).contains("INGESTION_IN_PROGRESS: Ingestion of event " + event);
        assertThat(busy.exitCode()).isEqualTo(75);
    }

    @Test
    void whicheverWayAnIngestionIsStartedItIsUnderTheSameLock() throws Exception {
        String event = rig.ingested(client, "128");
        String order = "{\"job\": \"ingest\", \"key\": \"event/" + event + "\"}";
        String[] command = {"runs", "submit", "ingest", "--key", "event/" + event};
        rig.site.moods().hold("/events/128/races/2");
        rig.submit(order);
        await().until(() -> rig.site.moods().waiting() == 1);
        assertThatThrownBy(() -> client.start("128", "17", "0s")).isInstanceOf(IngestionException.class);
        assertThat(rig.submit(order)).containsEntry("code", "lock-held");
        assertThat(rig.program("io.interlock.cli.Main", command).exitCode()).isEqualTo(75);
        rig.site.moods().release();
        rig.ended(client, event);
        rig.site.forget();
        assertThat(rig.program("io.interlock.cli.Main", command).exitCode()).isZero();
        await().until(() -> rig.site.served().size() == 7);
        assertThat(rig.ended(client, event)).doesNotContainKey("error.code");
    }
}
