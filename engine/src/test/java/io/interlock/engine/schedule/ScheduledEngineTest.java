package io.interlock.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.schedule.Schedules.ScheduledJob;
import io.interlock.run.JobName;
import io.interlock.run.RunQuery;
import io.interlock.store.memory.MemoryStore;
import io.interlock.tck.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Schedules in front of engines, as processes have them. */
@Timeout(60)
class ScheduledEngineTest {

    private static final JobName JOB = new JobName("nightly");
    private static final LockKey KEY = LockKey.of("acme", "pipeline/nightly");

    @Test
    void threeProcessesStartOneRunAMinute() throws Exception {
        ManualTime time = new ManualTime(Instant.parse("2026-01-01T00:00:30Z"));
        AtomicInteger done = new AtomicInteger();
        List<AutoCloseable> open = new ArrayList<>();
        try (MemoryStore store = new MemoryStore(time)) {
            for (int process = 0; process < 3; process++) {
                RunEngine engine = RunEngine.builder(store.anotherClient())
                        .environment(time)
                        .jobs(Jobs.of(Job.named(JOB.value())
                                .handler(run -> {
                                    done.incrementAndGet();
                                    return null;
                                })
                                .build()))
                        .build();
                Schedules.Start submitter = (job, key, fireTime, name) -> engine.submitAsync(
                        RunRequest.of(key, job).idempotencyKey(name).submitter("schedule"));
                open.add(0, engine);
                open.add(
                        0,
                        new Schedules(
                                time, submitter, List.of(ScheduledJob.of(JOB, KEY, FireTimes.parse("* * * * *")))));
            }
            for (int minute = 1; minute <= 3; minute++) {
                int expected = minute;
                await().pollInterval(Duration.ofMillis(1))
                        .atMost(Duration.ofSeconds(20))
                        .until(() -> {
                            time.advance(Duration.ofSeconds(1));
                            return done.get() >= expected;
                        });
            }
            time.advance(Duration.ofSeconds(20));
            assertThat(store.queries().listRuns(RunQuery.ofTenant("acme")).runs())
                    .as("one for each minute")
                    .hasSize(3);
            assertThat(done).hasValue(3);
            for (AutoCloseable each : open) {
                each.close();
            }
        }
    }
}
