package io.interlock.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.access.TenantLimitException;
import io.interlock.engine.schedule.Schedules.ScheduledJob;
import io.interlock.run.JobName;
import io.interlock.tck.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SchedulesTest {

    private static final JobName JOB = new JobName("nightly");
    private static final LockKey KEY = LockKey.of("acme", "pipeline/nightly");

    private final ManualTime time = new ManualTime(Instant.parse("2026-01-01T02:00:00Z"));
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Inbox inbox = new Inbox();

    /** Starts one run per idempotency key, as stores do. */
    private static final class Inbox implements Schedules.Start {
        final Set<String> started = new LinkedHashSet<>();
        final List<String> asked = new ArrayList<>();
        RuntimeException failure = new StoreUnavailableException("test", "is away");
        boolean away;
        boolean losesAnswers;

        @Override
        public synchronized CompletionStage<?> submit(JobName job, LockKey key, Instant fireTime, String name) {
            asked.add(name);
            if (away) {
                return CompletableFuture.failedFuture(failure);
            }
            started.add(name);
            return losesAnswers ? CompletableFuture.failedFuture(failure) : CompletableFuture.completedFuture(null);
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    @Test
    void startsAtTheTimesThatAreNamed() {
        start("0 3 * * *", Duration.ZERO);
        time.advance(Duration.ofMinutes(59));
        assertThat(inbox.asked).isEmpty();
        time.advance(Duration.ofMinutes(1));
        assertThat(inbox.asked).containsExactly("schedule/nightly/2026-01-01T03:00:00Z");
        time.advance(Duration.ofDays(2));
        assertThat(inbox.asked).hasSize(3).endsWith("schedule/nightly/2026-01-03T03:00:00Z");
    }

    @Test
    void oneRunStartsHoweverManyProcessesThereAre() {
        for (int process = 0; process < 5; process++) {
            start("0 * * * *", Duration.ofMinutes(10));
        }
        time.advance(Duration.ofHours(24));
        assertThat(inbox.asked).hasSize(24 * 5 + 5);
        assertThat(inbox.started)
                .as("24, and the one at two that was due just before")
                .hasSize(25);
    }

    @Test
    void whatWasMissedBeforeTheStartIsSkippedUnlessItIsCaughtUpWith() {
        time.advance(Duration.ofMinutes(65));
        start("0 3 * * *", Duration.ZERO);
        time.advance(Duration.ofMinutes(1));
        assertThat(inbox.asked).isEmpty();

        start("*/2 * * * *", Duration.ofMinutes(10));
        time.advance(Duration.ofMillis(1));
        assertThat(inbox.asked).as("only the last one").containsExactly("schedule/nightly/2026-01-01T03:06:00Z");
    }

    @Test
    void aClockSetForwardSkipsWhatIsTooLate() {
        start("0 3 * * *", Duration.ZERO);
        time.advance(Duration.ofMinutes(1));
        time.jumpClock(Duration.ofHours(2));
        time.advance(Duration.ofMinutes(5));
        assertThat(inbox.asked).isEmpty();
        time.advance(Duration.ofHours(24));
        assertThat(inbox.asked).as("the next day").containsExactly("schedule/nightly/2026-01-02T03:00:00Z");
    }

    @Test
    void aClockSetForwardMakesUpForTheLastOneWithinTheWindow() {
        start("0 * * * *", Duration.ofHours(1));
        time.advance(Duration.ofMinutes(1));
        inbox.asked.clear();
        time.jumpClock(Duration.ofMinutes(200));
        time.advance(Duration.ofMinutes(1));
        assertThat(inbox.asked).containsExactly("schedule/nightly/2026-01-01T05:00:00Z");
    }

    @Test
    void aLittleLateIsInTime() {
        start("0 3 * * *", Duration.ZERO);
        time.advance(Duration.ofMinutes(59));
        time.jumpClock(Duration.ofSeconds(80));
        time.advance(Duration.ofSeconds(30));
        assertThat(inbox.asked).containsExactly("schedule/nightly/2026-01-01T03:00:00Z");
    }

    @Test
    void aClockSetBackStartsNothingTwice() {
        start("0 * * * *", Duration.ZERO);
        time.advance(Duration.ofMinutes(150));
        assertThat(inbox.started).hasSize(2);
        time.jumpClock(Duration.ofMinutes(-100));
        time.advance(Duration.ofMinutes(100));
        assertThat(inbox.started).as("03:00 and 04:00 came again").hasSize(2);
        time.advance(Duration.ofMinutes(60));
        assertThat(inbox.started).hasSize(3);
    }

    @Test
    void aClockThatWasFarAheadDoesNotSilenceTheSchedule() {
        start("0 * * * *", Duration.ZERO);
        time.jumpClock(Duration.ofDays(365));
        time.advance(Duration.ofMinutes(2));
        time.jumpClock(Duration.ofDays(-365));
        time.advance(Duration.ofHours(1));
        assertThat(inbox.started).contains("schedule/nightly/2026-01-01T03:00:00Z");
    }

    @Test
    void aStoreThatIsAwayIsTriedAgain() {
        start("0 3 * * *", Duration.ZERO);
        inbox.away = true;
        time.advance(Duration.ofMinutes(90));
        assertThat(inbox.asked).hasSizeGreaterThan(60).containsOnly("schedule/nightly/2026-01-01T03:00:00Z");
        inbox.away = false;
        time.advance(Duration.ofMinutes(1));
        assertThat(inbox.started).hasSize(1);
        int asked = inbox.asked.size();
        time.advance(Duration.ofHours(10));
        assertThat(inbox.asked).as("then no more").hasSize(asked);
    }

    @Test
    void aStartThatCouldNotBeSubmittedGivesWayToTheNext() {
        start("0 * * * *", Duration.ZERO);
        inbox.away = true;
        time.advance(Duration.ofMinutes(119));
        inbox.asked.clear();
        time.advance(Duration.ofMinutes(10));
        inbox.away = false;
        time.advance(Duration.ofMinutes(1));
        assertThat(inbox.started).containsExactly("schedule/nightly/2026-01-01T04:00:00Z");
        assertThat(inbox.asked.subList(5, inbox.asked.size())).containsOnly("schedule/nightly/2026-01-01T04:00:00Z");
    }

    @Test
    void aStartIsNotTriedForLongerThanItsKeyCounts() {
        start("0 3 1 * *", Duration.ZERO);
        inbox.away = true;
        time.advance(Duration.ofHours(26));
        int asked = inbox.asked.size();
        time.advance(Duration.ofHours(26));
        assertThat(inbox.asked).hasSize(asked);
    }

    @Test
    void aLostAnswerStartsNothingTwice() {
        start("0 3 * * *", Duration.ZERO);
        inbox.losesAnswers = true;
        time.advance(Duration.ofMinutes(70));
        assertThat(inbox.asked).hasSizeGreaterThan(1);
        assertThat(inbox.started).hasSize(1);
    }

    @Test
    void whatCanNeverBeSubmittedIsNotTriedAgain() {
        start("0 3 * * *", Duration.ZERO);
        inbox.away = true;
        inbox.failure = new InvalidSettingException("parameters", "x", "are wrong", "mend them");
        time.advance(Duration.ofMinutes(90));
        assertThat(inbox.asked).hasSize(1);
    }

    @Test
    void aTenantThatHasTooManyRunsAtThatMomentMissesNoStart() {
        start("0 3 * * *", Duration.ZERO);
        inbox.away = true;
        inbox.failure = new TenantLimitException("acme", "open runs", "max-open", 1, "wait until some have ended");
        time.advance(Duration.ofMinutes(61));
        inbox.away = false;
        time.advance(Duration.ofMinutes(2));
        assertThat(inbox.started).hasSize(1);
    }

    @Test
    void aSubmitterThatThrowsHarmsNobodyElse() {
        JobName other = new JobName("other");
        open.add(new Schedules(
                time,
                (job, key, fireTime, name) -> {
                    if (job.equals(JOB)) {
                        throw new IllegalStateException("broken");
                    }
                    return inbox.submit(job, key, fireTime, name);
                },
                List.of(
                        ScheduledJob.of(JOB, KEY, FireTimes.parse("0 3 * * *")),
                        ScheduledJob.of(other, LockKey.of("acme", "other"), FireTimes.parse("0 3 * * *")))));
        time.advance(Duration.ofMinutes(61));
        assertThat(inbox.started).containsExactly("schedule/other/2026-01-01T03:00:00Z");
    }

    @Test
    void timesAreThoseOfTheZone() {
        open.add(new Schedules(
                time,
                inbox,
                List.of(ScheduledJob.of(JOB, KEY, FireTimes.parse("0 3 * * *", ZoneId.of("America/New_York"))))));
        time.advance(Duration.ofHours(7));
        assertThat(inbox.asked).containsExactly("schedule/nightly/2026-01-01T08:00:00Z");
    }

    @Test
    void nothingStartsAfterTheEnd() {
        start("0 3 * * *", Duration.ZERO).close();
        time.advance(Duration.ofHours(5));
        assertThat(inbox.asked).isEmpty();
    }

    @Test
    void twoSchedulesOfOneJobAreRefused() {
        ScheduledJob job = ScheduledJob.of(JOB, KEY, FireTimes.parse("@daily"));
        assertThatThrownBy(() -> new Schedules(time, inbox, List.of(job, job)))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("nightly");
    }

    @Test
    void aCatchUpLongerThanKeysCountIsRefused() {
        assertThatThrownBy(() -> new ScheduledJob(JOB, KEY, FireTimes.parse("@daily"), Duration.ofHours(25)))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("catch-up '1d 1h'")
                .hasMessageContaining("1d");
    }

    private Schedules start(String expression, Duration catchUp) {
        Schedules schedules =
                new Schedules(time, inbox, List.of(new ScheduledJob(JOB, KEY, FireTimes.parse(expression), catchUp)));
        open.add(schedules);
        return schedules;
    }
}
