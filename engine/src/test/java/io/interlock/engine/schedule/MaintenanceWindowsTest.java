package io.interlock.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.EngineBuilder;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.schedule.Schedules.ScheduledJob;
import io.interlock.run.JobName;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.run.Wait;
import io.interlock.store.memory.MemoryStore;
import io.interlock.tck.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Windows on engines, as processes have them. */
@Timeout(60)
class MaintenanceWindowsTest {

    private static final String NIGHT = "18:00 - 06:00 Europe/Berlin";
    private static final LockKey KEY = LockKey.of("acme", "pipeline/nightly");

    // A Friday; the window begins at 17:00 UTC and ends at 05:00.
    private final ManualTime time = new ManualTime(Instant.parse("2026-01-02T16:50:00Z"));
    private final MemoryStore store = new MemoryStore(time);
    private final List<RunEngine> open = new ArrayList<>();
    private final AtomicInteger done = new AtomicInteger();

    @AfterEach
    void close() {
        open.forEach(RunEngine::close);
        store.close();
    }

    @Test
    void nothingStartsInAWindowAndWhatIsDueWaitsForItsEnd() {
        RunEngine engine = engine(NIGHT);
        RunEngine other = engine(NIGHT);
        assertThat(engine.submit(request()).isAccepted()).isTrue();
        await().untilAtomic(done, is(1));
        advanceTo("2026-01-02T17:00:00Z");

        Run waiting = engine.submit(request().onConflict(ConflictPolicy.QUEUE)).orElseThrow();
        assertThat(engine.explain(waiting.id()).map(Wait::sentence).orElseThrow())
                .contains("acme:pipeline/nightly is in a maintenance window until 2026-01-03T05:00:00.", NIGHT);
        assertThat(other.submit(request())).isInstanceOfSatisfying(Submission.Rejected.class, refused -> {
            assertThat(refused.refusal().code()).isEqualTo("key-paused");
            assertThat(refused.refusal().retryAfter()).isBetween(Duration.ofHours(11), Duration.ofHours(12));
        });
        assertThat(engine.queries().pauses("acme")).as("opened once").hasSize(1);
        assertThat(engine.submit(RunRequest.of(LockKey.of("acme", "other"), "nightly"))
                        .isAccepted())
                .isTrue();
        advanceTo("2026-01-03T04:59:59Z");
        assertThat(state(engine, waiting.id())).isEqualTo(RunState.QUEUED);
        advanceTo("2026-01-03T05:00:20Z");
        await().until(() -> {
            time.advance(Duration.ofSeconds(1));
            return state(engine, waiting.id()) == RunState.SUCCEEDED;
        });
    }

    @Test
    void aScheduledStartWaitsThoughItsJobRefusesAndTheLastOneIsLeft() {
        RunEngine engine = builder(NIGHT)
                .schedule(ScheduledJob.of(new JobName("nightly"), KEY, FireTimes.parse("0 */3 * * *")))
                .build();
        open.add(engine);
        advanceTo("2026-01-03T05:00:00Z");
        // 18:00, 21:00, 00:00 and 03:00.
        assertThat(store.queries().listRuns(RunQuery.ofTenant("acme")).runs()).hasSize(4);
        await().until(() -> {
            time.advance(Duration.ofSeconds(1));
            return done.get() > 0;
        });
        List<Run> runs = store.queries().listRuns(RunQuery.ofTenant("acme")).runs();
        assertThat(runs)
                .filteredOn(run -> run.state() == RunState.SUCCEEDED || run.state() == RunState.RUNNING)
                .singleElement()
                .satisfies(run -> assertThat(run.spec().origin().reason()).contains("2026-01-03T03:00:00Z"));
    }

    @Test
    void aProcessThatStartsInAWindowFindsItOpen() {
        time.advance(Duration.ofHours(5));
        RunEngine engine = engine(NIGHT);
        assertThat(engine.submit(request())).isInstanceOf(Submission.Rejected.class);
        assertThat(engine.queries().pauses("acme"))
                .singleElement()
                .satisfies(pause -> assertThat(pause.until()).isEqualTo(Instant.parse("2026-01-03T05:00:00Z")));
    }

    @Test
    void whatAnOperatorResumesStaysResumed() {
        RunEngine engine = engine(NIGHT);
        advanceTo("2026-01-02T17:00:00Z");
        assertThat(engine.resume("acme", "pipeline/*", "carol", "urgent fix")).isTrue();
        advanceTo("2026-01-02T20:00:00Z");
        engine(NIGHT);
        assertThat(engine.submit(request()).isAccepted()).isTrue();
        advanceTo("2026-01-03T17:00:00Z");
        assertThat(engine.queries().pauses("acme"))
                .as("a day later it comes again")
                .hasSize(1);
    }

    @Test
    void anOperatorsLongerPauseIsLeftAlone() {
        RunEngine engine = engine(NIGHT);
        engine.pause("acme", "pipeline/*", "carol", "migration", (Duration) null);
        advanceTo("2026-01-02T17:00:00Z");
        assertThat(engine.queries().pauses("acme")).extracting(Pause::actor).containsExactly("carol");
    }

    @Test
    void windowsThatFollowEachOtherAreOne() {
        RunEngine engine =
                engine("Fri 18:00 - Sat 06:00", "Sat 04:00 - Sun 12:00", "2026-01-04 12:00 - 2026-01-04 13:00");
        advanceTo("2026-01-02T18:00:00Z");
        assertThat(engine.queries().pauses("acme"))
                .singleElement()
                .satisfies(pause -> assertThat(pause.until()).isEqualTo(Instant.parse("2026-01-04T13:00:00Z")));
    }

    private RunEngine engine(String... windows) {
        RunEngine engine = builder(windows).build();
        open.add(engine);
        return engine;
    }

    private EngineBuilder builder(String... windows) {
        return RunEngine.builder(store.anotherClient())
                .environment(time)
                // So rarely that half a day of it takes moments.
                .pollEvery(Duration.ofSeconds(10))
                .sweepEvery(Duration.ofMinutes(1))
                .withoutBooks()
                .jobs(Jobs.of(Job.named("nightly")
                        .maxWait(Duration.ofHours(1))
                        .handler(run -> {
                            done.incrementAndGet();
                            return null;
                        })
                        .build()))
                .noStart(new MaintenanceWindows.NoStart(
                        "acme",
                        "pipeline/*",
                        Stream.of(windows).map(MaintenanceWindow::parse).toList()));
    }

    private static RunRequest request() {
        return RunRequest.of(KEY, "nightly").maxWait(Duration.ofDays(7));
    }

    private static RunState state(RunEngine engine, RunId run) {
        return engine.find(run).orElseThrow().state();
    }

    private void advanceTo(String moment) {
        time.advance(Duration.between(time.clock().instant(), Instant.parse(moment)));
    }
}
