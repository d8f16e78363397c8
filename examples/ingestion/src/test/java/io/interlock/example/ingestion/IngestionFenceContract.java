package io.interlock.example.ingestion;

import static io.interlock.example.ingestion.IngestionContract.later;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.example.ingestion.Database.Fence;
import io.interlock.locks.Lease;
import io.interlock.locks.Locks;
import io.interlock.run.Run;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The fence in the database, and locks of races; with engines in this process. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class IngestionFenceContract {

    private static final Duration LONG = Duration.ofSeconds(30);

    Rig rig;

    abstract Place place(Path folder);

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        rig = new Rig(place(folder), folder, Map.of());
    }

    @AfterAll
    void stop() {
        rig.close();
    }

    /** Two independent stores, as if the first holder had been paused beyond its lease and could not be notified. */
    @Test
    void aStaleWriterIsRefusedByTheFence() throws Exception {
        rig.fetch.all("300");
        rig.site.moods().hold("/events/300/races/3");
        try (RunEngine slept = engine("memory:", 1);
                RunEngine awake = engine("memory:", 1)) {
            CompletableFuture<Run> stale = later(() -> ingested(slept, "e300", "300"));
            await().atMost(LONG).until(() -> rig.site.moods().waiting() == 1);
            rig.site.revise("/events/300/races/3");
            assertThat(ingested(awake, "e300", "300").state()).isEqualTo(RunState.SUCCEEDED);
            Map<String, List<String>> rows = rig.dump();
            rig.site.moods().release();
            Run refused = stale.join();
            assertThat(refused.state()).isEqualTo(RunState.FAILED);
            assertThat(String.valueOf(refused.status().error())).contains("is stale");
            assertThat(rig.dump()).isEqualTo(rows);
        }
    }

    @Test
    void nobodySeesARaceBeforeItIsWholeNorWaitsForIt() throws Exception {
        new Events(rig.database).create(LockKey.of("event/e302"), "302", "17");
        LockKey key = LockKey.of("event/e302");
        try (Locks locks = Locks.open("memory:");
                Lease lease = locks.acquire(key, LONG).orElseThrow()) {
            rig.database.fenced(List.of(new Fence(key, lease.token())), connection -> {
                EventRows.race(
                        connection,
                        "e302",
                        new EventPages.Race(1, "Heat 1", List.of(List.of(1, 1, 1, 9)), List.of(List.of(1, 1, 9))));
                assertThat(rig.reader.find("e302").orElseThrow().races()).isEmpty();
            });
        }
        assertThat(rig.reader.find("e302").orElseThrow().races())
                .containsExactly(new EventReader.Race(1, "Heat 1", 1, 1));
    }

    @Test
    void aSourceEventIsCreatedOnceWhoeverAsks() {
        List<CompletableFuture<String>> asking = IntStream.range(0, 8)
                .mapToObj(n -> later(() -> new Events(rig.database).create(LockKey.of("event/e" + n), "304", "17")))
                .toList();
        assertThat(asking.stream().map(CompletableFuture::join).distinct()).hasSize(1);
    }

    @Test
    void racesOfOneEventAreIngestedAtOnceEachUnderALockOfItsOwn() throws Exception {
        rig.fetch.all("306");
        LockKey race3 = LockKey.of("event/e306/race/3");
        try (RunEngine engine = engine(rig.settings(3).store(), 3);
                Locks locks = Locks.open(rig.settings(3).store())) {
            Lease mended = locks.acquire(race3, LONG).orElseThrow();
            for (int race : new int[] {1, 2}) {
                rig.site.moods().hold("/events/306/races/" + race);
            }
            CompletableFuture<Run> run = later(() -> ingested(engine, "e306", "306"));
            await().atMost(LONG).until(() -> rig.site.moods().waiting() == 2);
            assertThat(locks.find(LockKey.of("event/e306/race/1"))).isPresent();
            rig.site.moods().release();
            await().atMost(LONG)
                    .until(() -> rig.reader.find("e306").orElseThrow().races().size() == 4);
            assertThat(rig.reader.find("e306").orElseThrow().races())
                    .extracting(EventReader.Race::number)
                    .as("race 3 waits for its repair; the others do not")
                    .containsExactly(1, 2, 4, 5);
            assertThat(run).isNotDone();
            mended.close();
            assertThat(run.join().state()).isEqualTo(RunState.SUCCEEDED);
            assertThat(rig.reader.find("e306").orElseThrow().complete()).isTrue();
            assertThat(locks.find(race3)).isEmpty();
        }
    }

    private RunEngine engine(String store, int racesAtOnce) throws Exception {
        Job job = Job.named("ingest")
                .handler(new IngestionJob(rig.settings(racesAtOnce)))
                .build();
        return RunEngine.builder(store).jobs(Jobs.of(job)).build();
    }

    private static Run ingested(RunEngine engine, String event, String source) throws InterruptedException {
        RunRequest request = RunRequest.of(LockKey.of("event/" + event), "ingest")
                .parameters("{\"source_event_id\": \"" + source + "\", \"track_id\": \"17\"}");
        return engine.awaitEnd(engine.submit(request).orElseThrow().id(), LONG).orElseThrow();
    }
}
