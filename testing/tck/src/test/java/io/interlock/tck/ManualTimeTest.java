package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ManualTimeTest {

    private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

    private final ManualTime time = new ManualTime(START);
    private final List<String> done = new CopyOnWriteArrayList<>();

    @Test
    void timeStandsUntilItIsMoved() {
        long before = time.ticker().nanos();
        assertThat(time.clock().instant()).isEqualTo(START);
        time.advance(Duration.ofSeconds(3));
        assertThat(time.clock().instant()).isEqualTo(START.plusSeconds(3));
        assertThat(time.ticker().nanos() - before).isEqualTo(3_000_000_000L);
    }

    @Test
    void whatIsDueIsDoneInOrderAndAtItsTime() {
        try (Timers timers = time.timers("test")) {
            timers.after(Duration.ofSeconds(2), () -> done.add("two at " + elapsed()));
            timers.after(Duration.ofSeconds(1), () -> {
                done.add("one at " + elapsed());
                timers.after(Duration.ofMillis(500), () -> done.add("again at " + elapsed()));
            });
            timers.after(Duration.ofSeconds(9), () -> done.add("late"));
            time.advance(Duration.ofSeconds(3));
            assertThat(done).containsExactly("one at 1000", "again at 1500", "two at 2000");
            assertThat(time.scheduled()).isEqualTo(1);
        }
        assertThat(time.scheduled()).as("after close").isZero();
    }

    @Test
    void whatIsCancelledOrClosedIsNotDone() {
        Timers timers = time.timers("test");
        timers.after(Duration.ofSeconds(1), () -> done.add("cancelled")).cancel();
        timers.after(Duration.ofSeconds(1), () -> done.add("closed"));
        timers.close();
        timers.close();
        timers.after(Duration.ofSeconds(1), () -> done.add("after close"));
        timers.after(Duration.ZERO, () -> done.add("at once after close"));
        time.advance(Duration.ofSeconds(2));
        assertThat(done).isEmpty();
    }

    @Test
    void whatIsDueAtOnceNeedsNoAdvance() throws Exception {
        try (Timers timers = time.timers("test")) {
            CountDownLatch ran = new CountDownLatch(1);
            timers.after(Duration.ZERO, ran::countDown);
            assertThat(ran.await(5, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aTaskThatThrowsHarmsNoOther() {
        try (Timers timers = time.timers("test")) {
            timers.after(Duration.ofSeconds(1), () -> {
                throw new IllegalStateException("on purpose");
            });
            timers.after(Duration.ofSeconds(2), () -> done.add("still here"));
            time.advance(Duration.ofSeconds(2));
            assertThat(done).containsExactly("still here");
        }
    }

    @Test
    void aJumpOfTheWallClockIsNoTimePassing() {
        long before = time.ticker().nanos();
        time.jumpClock(Duration.ofHours(-5));
        assertThat(time.clock().instant()).isEqualTo(START.minus(Duration.ofHours(5)));
        assertThat(time.ticker().nanos()).isEqualTo(before);
    }

    private long elapsed() {
        return Duration.between(START, time.clock().instant()).toMillis();
    }
}
