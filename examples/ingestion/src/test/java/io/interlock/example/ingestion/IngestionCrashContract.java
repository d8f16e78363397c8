package io.interlock.example.ingestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Servers that are killed, or paused for longer than their lease. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class IngestionCrashContract {

    private static final Duration LONG = Duration.ofSeconds(40);

    Rig rig;
    RealServer live;

    abstract Place place(Path folder);

    /** Blocks transactions that write race 3. */
    abstract void stall() throws Exception;

    /** Whether a transaction is blocked. */
    abstract boolean stalled() throws Exception;

    /** Ends the blocking. */
    abstract void resume() throws Exception;

    /** Whether a paused process blocks the store of leases for others. */
    abstract boolean keepsStore() throws Exception;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        Map<String, String> hurried = Map.of(
                "INTERLOCK_JOBS_INGEST_LEASE", "2s",
                "INTERLOCK_JOBS_INGEST_RETRY_ATTEMPTS", "1",
                "INTERLOCK_JANITOR_INTERVAL", "500ms");
        rig = new Rig(place(folder), folder, hurried);
        live = rig.server();
    }

    @AfterAll
    void stop() {
        rig.close();
    }

    @Test
    void aProcessKilledInTheMiddleOfRace3LeavesNothingHalfAndTheNextRunFinishesIt() throws Exception {
        rig.fetch.all("200");
        rig.site.forget();
        stall();
        String event = rig.client(live).start("200", "17", "0s");
        try (Onlooker onlooker = new Onlooker(rig.reader, event)) {
            await().atMost(LONG).until(() -> asked("/events/200/races/3") && stalled());
            live.kill();
            resume();
            live = rig.server();
            IngestionClient client = rig.client(live);
            List<Map<String, String>> seen = new ArrayList<>();
            await().atMost(LONG).until(() -> {
                seen.add(rig.state(client, event));
                return "WORKER_TIMEOUT".equals(seen.get(seen.size() - 1).get("error.code"));
            });
            assertThat(seen.subList(0, seen.size() - 1))
                    .as("until it is known that it failed")
                    .allSatisfy(state -> assertThat(state).containsEntry("running", "true"));
            assertThat(seen.get(seen.size() - 1))
                    .containsEntry("running", "false")
                    .containsEntry("ingest_depth", "none");
            assertThat(rig.reader.find(event).orElseThrow().races())
                    .extracting(EventReader.Race::number)
                    .containsExactly(1, 2);
            assertThat(onlooker.seen()).noneMatch(EventReader.Event::complete);
            assertThat(rig.ingested(client, "200")).isEqualTo(event);
            EventReader.Event whole = rig.reader.find(event).orElseThrow();
            assertThat(whole.complete()).isTrue();
            assertThat(whole.races()).hasSize(5);
            assertThat(onlooker.faults()).isEmpty();
        }
    }

    @Test
    void aProcessPausedForLongerThanItsLeaseChangesNothingWhenItWakesUp() throws Exception {
        rig.fetch.all("202");
        rig.site.moods().hold("/events/202/races/3");
        RealServer paused = live;
        String event = rig.client(paused).start("202", "17", "0s");
        await().atMost(LONG).until(() -> rig.site.moods().waiting() == 1);
        paused.signal("STOP");
        while (keepsStore()) {
            paused.signal("CONT");
            paused.signal("STOP");
        }
        live = rig.server();
        IngestionClient client = rig.client(live);
        rig.site.revise("/events/202/races/3");
        rig.failed(client, event, "WORKER_TIMEOUT");
        assertThat(rig.ingested(client, "202")).isEqualTo(event);
        Map<String, List<String>> rows = rig.dump();
        rig.site.moods().release();
        paused.signal("CONT");
        await().atMost(LONG).until(() -> paused.out().contains("lease lost"));
        assertThat(rig.state(rig.client(paused), event)).containsEntry("ingest_depth", "laps_full");
        assertThat(rig.dump()).isEqualTo(rows);
        paused.close();
    }

    private boolean asked(String path) {
        return rig.site.served().stream().anyMatch(page -> page.path().equals(path));
    }
}
