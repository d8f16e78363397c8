package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.ConflictPolicy;
import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.Jobs.UnknownJobException;
import io.interlock.engine.schedule.FireTimes;
import io.interlock.engine.schedule.Schedules.ScheduledJob;
import io.interlock.run.JobName;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class SettingsTest {

    @Test
    void anEngineThatCannotBeSetUpLeavesNothingBehind() {
        MemoryStore store = new MemoryStore(Environment.system());
        ScheduledJob nightly = ScheduledJob.of(
                new JobName("export"), LockKey.of("acme", "export"), FireTimes.parse("0 3 * * *", ZoneOffset.UTC));
        EngineBuilder builder = RunEngine.builder(store)
                .jobs(Jobs.of(Job.named("export").handler(run -> null).build()))
                .closingStore()
                .schedule(nightly)
                .schedule(nightly);
        assertThatThrownBy(builder::build)
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("two schedules");
        assertThatThrownBy(store.views()::runCounts)
                .as("closed with all that had begun")
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void settingsThatAreRefusedCostNoThread() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        refused(() -> builder().slots(-1).build(), "slots");
        refused(() -> builder().keepIdempotency(Duration.ZERO).build(), "keep-idempotency");
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(
                        thread -> !before.contains(thread) && thread.getName().startsWith("interlock-reserve"))
                .isEmpty();
    }

    @Test
    void aTimeLimitOutsideItsRangeIsRefusedWithTheNumbers() {
        assertThat(Job.RuntimeRange.MINUTE_TO_DAY.require(Duration.ofHours(1))).isEqualTo(Duration.ofHours(1));
        for (Duration wrong : List.of(Duration.ofSeconds(59), Duration.ofSeconds(86_401))) {
            assertThatThrownBy(() -> Job.RuntimeRange.MINUTE_TO_DAY.require(wrong))
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageContainingAll("max-runtime", DurationText.format(wrong), "60 s", "86400 s");
        }
    }

    @Test
    void aStageMayNotTakeLongerThanTheWholeRun() {
        refused(
                () -> Job.named("load")
                        .maxRuntime(Duration.ofMinutes(5))
                        .stage("copy", Duration.ofMinutes(10))
                        .build(),
                "copy",
                "10m",
                "5m");
    }

    @Test
    void aStageIsNamedOnce() {
        refused(() -> Job.named("load").stage("copy").stage("copy"), "copy", "twice");
    }

    @Test
    void whoeverQueuesMustBeAbleToWait() {
        refused(
                () -> Job.named("load")
                        .onConflict(ConflictPolicy.QUEUE)
                        .maxWait(Duration.ZERO)
                        .build(),
                "max-wait",
                "QUEUE");
    }

    @Test
    void anExceptionIsEitherPermanentOrPassing() {
        refused(
                () -> Job.named("load")
                        .permanent(IOException.class)
                        .retryOn(IOException.class)
                        .build(),
                "java.io.IOException");
    }

    @Test
    void theNearestKindOfExceptionDecides() {
        Job.FailureKinds kinds = Job.named("load")
                .permanent(Exception.class)
                .retryOn(IOException.class)
                .permanent(FileNotFoundException.class)
                .build()
                .failures();
        assertThat(kinds.mayPass(new IOException())).isTrue();
        assertThat(kinds.mayPass(new FileNotFoundException())).isFalse();
        assertThat(kinds.mayPass(new IllegalStateException())).isFalse();
        assertThat(kinds.mayPass(new OutOfMemoryError())).as("not named").isTrue();
    }

    @Test
    void aLeaseAboveTheStoresLongestIsRefusedWhenTheEngineIsSetUp() {
        Jobs jobs = Jobs.of(Job.named("load").lease(Duration.ofMinutes(10)).build());
        refused(() -> RunEngine.on(new MemoryStore(Environment.system()), jobs), "10m", "5m");
    }

    @Test
    void engineSettingsOutOfTheirLimitsAreRefused() {
        refused(() -> builder().slots(-1).build(), "slots", "-1");
        refused(() -> builder().pollEvery(Duration.ZERO).build(), "poll-every");
        refused(() -> builder().drainTime(Duration.ofSeconds(-1)).build(), "drain-time");
        refused(() -> builder().keepIdempotency(Duration.ofHours(1)).build(), "keep-idempotency", "1h");
        refused(() -> builder().tenantMaxRunning("acme", 0), "max-running");
        refused(() -> Job.named("load").queueCap(0), "queue-cap");
    }

    @Test
    void twoJobsOfOneNameAreRefused() {
        refused(() -> Jobs.of(Job.named("load").build(), Job.named("load").build()), "load", "twice");
    }

    @Test
    void aNameUnlikeAllOthersGetsNoSuggestion() {
        Jobs jobs = Jobs.of(Job.named("load").build());
        assertThatThrownBy(() -> jobs.require(new JobName("completely-different")))
                .isInstanceOf(UnknownJobException.class)
                .hasMessage("job 'completely-different' is unknown; known here: load");
        assertThatThrownBy(() -> Jobs.of().require(new JobName("load"))).hasMessageContaining("no jobs are defined");
    }

    @Test
    void aJobWithoutAWordHasTheDefaults() {
        Job job = Job.named("load").build();
        assertThat(job.policy()).isEqualTo(ConflictPolicy.REJECT);
        assertThat(job.terms().ttl()).isEqualTo(Duration.ofSeconds(30));
        assertThat(job.line()).isEqualTo(LineLimits.NONE);
        assertThat(job.retry().attempts()).isEqualTo(1);
    }

    private static EngineBuilder builder() {
        return RunEngine.builder(new MemoryStore(Environment.system()));
    }

    private static void refused(ThrowingCallable call, String... words) {
        assertThatThrownBy(call).isInstanceOf(InvalidSettingException.class).hasMessageContainingAll(words);
    }
}
