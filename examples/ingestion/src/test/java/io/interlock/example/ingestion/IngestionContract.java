package io.interlock.example.ingestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.example.ingestion.site.SourceSite.Served;
import io.interlock.time.Environment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Tests for both databases. Every test has its own event. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class IngestionContract {

    Rig rig;
    IngestionClient client;

    abstract Place place(Path folder);

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        rig = new Rig(place(folder), folder, Map.of());
        client = rig.client(rig.server());
    }

    @AfterEach
    void letGo() {
        rig.site.moods().release();
    }

    @AfterAll
    void stop() {
        rig.close();
    }

    @Test
    void theSameEventTwiceLeavesIdenticalRows() throws Exception {
        String event = rig.ingested(client, "100");
        assertThat(rig.reader.find(event).orElseThrow().complete()).isTrue();
        Map<String, List<String>> once = rig.dump();
        assertThat(rig.ingested(client, "100")).isEqualTo(event);
        assertThat(rig.dump()).isEqualTo(once);
        assertThat(rig.rows("SELECT * FROM lap WHERE event_id = '" + event + "'"))
                .hasSize(5 * 6 * 8);
    }

    @Test
    void outdatedResultsAndLapsAreOverwritten() throws Exception {
        String event = rig.ingested(client, "102");
        List<String> others = rig.rows("SELECT * FROM lap WHERE race <> 2 AND event_id = '" + event + "'");
        String ofRace2 = "SELECT car, lap, millis FROM lap WHERE race = 2 AND event_id = '" + event + "'";
        List<String> old = rig.rows(ofRace2);
        rig.site.revise("/events/102/races/2");
        rig.ingested(client, "102");
        assertThat(rig.rows(ofRace2)).hasSize(5 * 8).isNotEqualTo(old).noneMatch(row -> row.startsWith("6|"));
        assertThat(rig.rows("SELECT position FROM result WHERE race = 2 AND event_id = '" + event + "'"))
                .containsExactly("1|", "2|", "3|", "4|", "5|");
        assertThat(rig.rows("SELECT * FROM lap WHERE race <> 2 AND event_id = '" + event + "'"))
                .isEqualTo(others);
    }

    @Test
    void pagesAreFetchedBeforeTheLockAndOnlyTheirFreshnessIsAskedForUnderIt() throws Exception {
        String event = rig.ingested(client, "104");
        rig.site.moods().hold("/events/104/races/4");
        CompletableFuture<String> ingesting = later(() -> rig.ingested(client, "104"));
        await().until(() -> rig.site.moods().waiting() == 1);
        assertThat(rig.state(client, event)).containsEntry("running", "false");
        rig.site.moods().release();
        assertThat(ingesting.join()).isEqualTo(event);

        rig.fetch.all("104");
        rig.site.forget();
        assertThat(client.start("104", "17", "0s")).isEqualTo(event);
        assertThat(rig.ended(client, event)).doesNotContainKey("error.code");
        assertThat(rig.site.served())
                .hasSize(2 + 5)
                .allSatisfy(page -> assertThat(page.status()).isEqualTo(304));
    }

    @Test
    void aPageThatHasChangedSinceItWasFetchedIsFetchedAgainUnderTheLock() throws Exception {
        rig.fetch.all("106");
        rig.site.revise("/events/106/races/3");
        rig.site.forget();
        String event = client.start("106", "17", "0s");
        rig.ended(client, event);
        assertThat(rig.site.served().stream().filter(page -> page.status() != 304))
                .containsExactly(new Served("/events/106/races/3", 200));
        assertThat(rig.reader.find(event).orElseThrow().races().get(2).results())
                .isEqualTo(5);
    }

    @Test
    void ofTwoIngestionsAtOnceOneIsDoneAndTheOtherIsToldByCode() throws Exception {
        rig.fetch.all("108");
        rig.site.moods().hold("/events/108/races/2");
        List<CompletableFuture<String>> both =
                List.of(later(() -> client.start("108", "17", "0s")), later(() -> client.start("108", "17", "0s")));
        List<String> started = new ArrayList<>();
        List<Throwable> refused = new ArrayList<>();
        for (CompletableFuture<String> each : both) {
            each.handle((event, failure) -> failure == null ? started.add(event) : refused.add(failure))
                    .join();
        }
        assertThat(started).hasSize(1);
        assertThat(refused).singleElement().isInstanceOfSatisfying(IngestionException.class, told -> {
            assertThat(told.code()).isEqualTo("INGESTION_IN_PROGRESS");
            assertThat(told).hasMessageContaining("already running");
        });
        rig.site.moods().release();
        rig.ended(client, started.get(0));
        assertThat(rig.reader.find(started.get(0)).orElseThrow().complete()).isTrue();
    }

    @Test
    void aSourceThatFailsIsTriedAgainAndNothingHalfIsSeen() throws Exception {
        rig.site.moods().fail("/events/110/races/5", 2);
        rig.site.moods().cut("/events/110/entries", 1);
        rig.fetch.all("110");
        rig.site.moods().fail("/events/110/races/3", 1);
        rig.site.moods().cut("/events/110/races/4", 1);
        String event = client.start("110", "17", "0s");
        try (Onlooker onlooker = new Onlooker(rig.reader, event)) {
            await().until(() -> "laps_full".equals(client.state(event).get("ingest_depth")));
            await().until(() -> rig.reader.find(event).orElseThrow().complete());
            assertThat(onlooker.faults()).isEmpty();
        }
        assertThat(rig.site.served()).contains(new Served("/events/110/races/4", 0));
    }

    @Test
    void readersAndIngestionDoNotWaitForEachOther() throws Exception {
        rig.fetch.all("112");
        rig.site.moods().hold("/events/112/races/3");
        String event = client.start("112", "17", "0s");
        await().until(() -> rig.site.moods().waiting() == 1);
        EventReader.Event half = rig.reader.find(event).orElseThrow();
        assertThat(half.complete()).isFalse();
        assertThat(half.races()).extracting(EventReader.Race::number).containsExactly(1, 2);
        rig.database.read(connection -> {
            String count = "SELECT count(*) FROM race WHERE event_id = '" + event + "'";
            try (var statement = connection.createStatement()) {
                var before = statement.executeQuery(count);
                before.next();
                assertThat(before.getInt(1)).isEqualTo(2);
                rig.site.moods().release();
                rig.ended(client, event);
                assertThat(rig.reader.find(event).orElseThrow().complete()).isTrue();
                var after = statement.executeQuery(count);
                after.next();
                assertThat(after.getInt(1))
                        .as("one snapshot during the whole read")
                        .isEqualTo(2);
                return true;
            }
        });
    }

    @Test
    void aStuckIngestionBlocksNothingButItsOwnEventAndAFailedOneFreesItAtOnce() throws Exception {
        rig.fetch.all("114");
        rig.site.moods().hold("/events/114/races/2");
        String stuck = client.start("114", "17", "0s");
        await().until(() -> rig.site.moods().waiting() == 1);
        String other = rig.ingested(client, "116");
        assertThat(rig.reader.find(other).orElseThrow().complete()).isTrue();
        // A stage reaches the store within a second, not at once.
        await().untilAsserted(() -> assertThat(rig.state(client, stuck))
                .containsEntry("running", "true")
                .containsEntry("stage", "races"));

        String failed = client.start("no-such-event", "17", "0s");
        assertThat(rig.ended(client, failed)).containsEntry("error.code", "PAGE_MISSING");
        assertThat(client.start("no-such-event", "17", "0s")).isEqualTo(failed);
        assertThatThrownBy(() -> client.start("114", "17", "0s")).isInstanceOf(IngestionException.class);
        rig.site.moods().release();
        rig.ended(client, stuck);
    }

    @Test
    void fetchersOfOneEventDoNotDisturbEachOther() throws Exception {
        rig.site.moods().hold("/events/118/races/1");
        CompletableFuture<Boolean> slow = later(() -> {
            rig.fetch.all("118");
            return true;
        });
        await().until(() -> rig.site.moods().waiting() == 1);
        rig.site.revise("/events/118/races/1");
        rig.site.moods().hold("/events/118/races/1");
        CompletableFuture<Boolean> second = later(() -> {
            rig.fetch.all("118");
            return true;
        });
        await().until(() -> rig.site.moods().waiting() == 2);
        rig.site.moods().release();
        slow.join();
        second.join();
        // Regardless of whether the old or the new page was stored last, the current content is written.
        new StagedPages(rig.database)
                .keep(new Page("/events/118/races/1", "\"old\"", "race;1;Heat 1\nresult;1;1;1;9\nlap;1;1;9\n"));
        String event = client.start("118", "17", "0s");
        rig.ended(client, event);
        assertThat(rig.reader.find(event).orElseThrow().races().get(0))
                .isEqualTo(new EventReader.Race(1, "Heat 1", 5, 40));
    }

    @Test
    void stageAndProgressReachTheDoorTheApiAndTheCommandLine() throws Exception {
        rig.fetch.all("122");
        rig.site.moods().hold("/events/122/races/3");
        String event = client.start("122", "17", "0s");
        await().until(() -> "2".equals(rig.state(client, event).get("progress.done")));
        Map<String, String> state = rig.state(client, event);
        assertThat(state).containsEntry("stage", "races").containsEntry("progress.total", "5");
        String run = String.valueOf(state.get("run_id"));
        assertThat(rig.run(run))
                .containsEntry("stage", "races")
                .containsEntry("progress.done", "2")
                .containsEntry("key", "event/" + event);
        Rig.Said shown = rig.program("io.interlock.cli.Main", "runs", "show", run, "--json");
        assertThat(FlatJson.read(shown.text())).containsEntry("stage", "races").containsEntry("progress.done", "2");
        rig.site.moods().release();
        assertThat(rig.ended(client, event)).containsEntry("ingest_depth", "laps_full");
    }

    @Test
    void driversAreMatchedByTransponderAndConfirmedIfTheirNamesAgree() throws Exception {
        rig.ingested(client, "120");
        String misspelt = rig.ingested(client, "121");
        String matches = "SELECT car, status FROM driver_match WHERE event_id = '" + misspelt + "'";
        assertThat(rig.rows(matches))
                .containsExactly(
                        "1|confirmed|", "2|suggested|", "3|confirmed|", "4|confirmed|", "5|confirmed|", "6|confirmed|");
        rig.database.write(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.executeUpdate("UPDATE driver_match SET status = 'confirmed' WHERE car = 2");
            }
        });
        rig.ingested(client, "121");
        assertThat(rig.rows(matches)).as("a confirmed match stays").contains("2|confirmed|");
    }

    /** Runs it on another thread. */
    static <T> CompletableFuture<T> later(Task<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Environment.system()
                .threads("test")
                .newThread(() -> {
                    try {
                        result.complete(task.run());
                    } catch (Throwable failure) {
                        result.completeExceptionally(failure);
                    }
                })
                .start();
        return result;
    }

    interface Task<T> {
        T run() throws Exception;
    }
}
