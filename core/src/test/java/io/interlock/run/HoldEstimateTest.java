package io.interlock.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.KeyLine.HoldEstimate;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunStatus.Stage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HoldEstimateTest {

    private static final Instant BEGUN = Instant.parse("2026-11-19T03:00:00Z");
    private static final List<Duration> PAST = List.of(Duration.ofSeconds(40));

    @Test
    void progressWithoutStagesIsThatOfTheRun() {
        Run quarter = reporting(null, 0, new Progress(1, 4L));
        assertThat(left(PAST, quarter, 10)).isEqualTo(Duration.ofSeconds(30));
        assertThat(left(List.of(), quarter, 10)).isEqualTo(Duration.ofSeconds(30));
        assertThat(left(PAST, reporting(null, 0, Progress.NONE), 10)).isEqualTo(Duration.ofSeconds(30));
        assertThat(left(PAST, reporting(null, 0, new Progress(7, null)), 50)).isEqualTo(Duration.ZERO);
    }

    @Test
    void progressOfAStageSaysNothingOfTheStagesAfterIt() {
        Run soonLoaded = reporting("load", 6, new Progress(3, 4L));
        assertThat(left(PAST, soonLoaded, 9)).as("as long as usual").isEqualTo(Duration.ofSeconds(31));
        assertThat(left(List.of(), soonLoaded, 9)).as("no past runs").isNull();
    }

    @Test
    void aStageThatTakesLongerThanUsualIsWaitedFor() {
        Run slow = reporting("load", 30, new Progress(1, 4L));
        assertThat(left(PAST, slow, 50))
                .as("of the stage, which began 20 s ago")
                .isEqualTo(Duration.ofSeconds(60));
        assertThat(left(PAST, reporting("load", 30, Progress.NONE), 50)).isEqualTo(Duration.ZERO);
    }

    private static @Nullable Duration left(List<Duration> past, Run holder, int seconds) {
        return HoldEstimate.of(past, holder, BEGUN.plusSeconds(seconds)).left();
    }

    /** A run that began {@code stage} so many seconds after its start. */
    private static Run reporting(@Nullable String stage, int seconds, Progress progress) {
        Turn turn = new Turn(1, new LeaseId(new UUID(1, 1)), new FencingToken(1), new Holder("w", "w"), BEGUN);
        RunStatus running = RunStatus.queued(BEGUN, null)
                .started(turn)
                .moved(RunState.RUNNING, BEGUN)
                .reporting(stage == null ? null : new Stage(stage, BEGUN.plusSeconds(seconds)), progress);
        return new Run(
                new RunId(new UUID(7, 7)),
                LockKey.of("acme", "ledger"),
                1,
                BEGUN,
                RunSpec.of(new JobName("close"), "alice"),
                LineLimits.NONE,
                running);
    }
}
