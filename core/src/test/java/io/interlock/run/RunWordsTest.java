package io.interlock.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunStatus.Stage;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class RunWordsTest {

    private static final RunSpec SPEC = RunSpec.of(new JobName("load"), "alice");

    @Test
    void whatIsTooLargeIsRefusedWithItsLimit() {
        broken(() -> SPEC.priority(101).submittable(), "priority '101'", "-100 to 100");
        broken(() -> SPEC.priority(-101), "priority '-101'", "-100 to 100");
        broken(() -> with("x".repeat(65_537), Map.of()), "has 65537 bytes; the limit is 65536");
        broken(() -> with("{}", Map.of("team", "x".repeat(97))), "label team", "has 101 bytes; the limit is 100");
        broken(() -> with("{}", labels(21)), "number of labels '21'", "limit of 20");
        broken(() -> new Ending.Succeeded("ä".repeat(40_000)), "result", "has 80000 bytes");
        broken(() -> new JobName("no spaces"), "job 'no spaces'");
        broken(() -> new Stage("x".repeat(501), Instant.EPOCH), "stage", "limit is 500");
        assertThat(with("x".repeat(65_536), labels(20)).labels()).hasSize(20);
    }

    @Test
    void numbersThatMakeNoSenseAreRefused() {
        broken(() -> new LineLimits(0, 1), "queue-cap '0'");
        broken(() -> new RetryPlan(0, Duration.ZERO, 1, Duration.ZERO), "retry.attempts '0'");
        broken(() -> new RetryPlan(2, Duration.ofSeconds(5), 1, Duration.ofSeconds(1)), "retry.backoff '5s'");
        broken(() -> new RunLimits(null, Duration.ZERO, Duration.ZERO), "max-runtime");
        broken(() -> new Transition("cluster", Set.of(), "A", "B", "C"), "transition.from");
        broken(() -> new Transition("cluster", Set.of("previous"), "A", "B", "C"), "transition");
        broken(() -> new Transition("cluster", Set.of("A"), "B", "previous", "C"), "transition");
        broken(() -> new Progress(3, 2L), "progress '3/2'");
    }

    @Test
    void aCodeIsOneLine() {
        assertThat(new RunError("X\n2026-11-15T22:00:00Z WARN admin evicted key", "").code())
                .isEqualTo("X\ufffd2026-11-15T22:00:00Z WARN admin evicted key");
        assertThat(new RunError("X".repeat(501), "").code()).hasSize(500).endsWith("…");
        assertThat(new RunError("OUT_OF_SPACE", "").code()).isEqualTo("OUT_OF_SPACE");
    }

    @Test
    void historyIsKeptForAWhile() {
        assertThat(Retention.DEFAULT.deadLetters()).isGreaterThan(Retention.DEFAULT.runs());
        Duration hour = Duration.ofHours(1);
        broken(() -> new Retention(hour, hour, Duration.ofMinutes(59)), "history.audit '59m'", "below 1h");
    }

    @Test
    void restsGrowUpToTheirLimitAndAreSpreadOverTheUpperHalf() {
        RetryPlan plan = new RetryPlan(9, Duration.ofSeconds(2), 2, Duration.ofSeconds(10));
        assertThat(plan.restAfter(1, 1)).isEqualTo(Duration.ofSeconds(2));
        assertThat(plan.restAfter(2, 1)).isEqualTo(Duration.ofSeconds(4));
        assertThat(plan.restAfter(2, 0)).isEqualTo(Duration.ofSeconds(2));
        assertThat(plan.restAfter(8, 1)).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void aPauseCoversAKeyOrABeginning() {
        Instant now = Instant.EPOCH;
        Pause all = new Pause("acme", "pipeline/*", "carol", "upgrade", now, null);
        assertThat(all.covers(LockKey.of("acme", "pipeline/a"))).isTrue();
        assertThat(all.covers(LockKey.of("acme", "pipelines"))).isFalse();
        assertThat(all.covers(LockKey.of("globex", "pipeline/a"))).isFalse();
        Pause one = new Pause("acme", "job", "carol", "upgrade", now, now.plusSeconds(1));
        assertThat(one.covers(LockKey.of("acme", "job"))).isTrue();
        assertThat(one.covers(LockKey.of("acme", "job/1"))).isFalse();
        assertThat(one.lastsAt(now)).isTrue();
        assertThat(one.lastsAt(now.plusSeconds(1))).isFalse();
        broken(() -> new Pause("acme", "*/a", "carol", "upgrade", now, null), "pattern '*/a'");
        broken(() -> new Pause("acme", "a", "carol", " ", now, null), "reason");
    }

    private static RunSpec with(String parameters, Map<String, String> labels) {
        return SPEC.parameters(parameters).labels(labels);
    }

    private static Map<String, String> labels(int count) {
        return IntStream.range(0, count).boxed().collect(Collectors.toMap(i -> "label-" + i, i -> "x"));
    }

    private static void broken(ThrowingCallable step, String... said) {
        assertThatThrownBy(step).isInstanceOf(InvalidSettingException.class).hasMessageContainingAll(said);
    }
}
