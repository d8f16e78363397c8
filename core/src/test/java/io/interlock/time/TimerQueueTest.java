package io.interlock.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimerQueueTest {

    private final List<Runnable> armed = new ArrayList<>();
    private final List<String> done = new ArrayList<>();
    private long now;
    private final TimerQueue<String> timerQueue = new TimerQueue<>(new Clockwork(), () -> now, done::addAll);

    @Test
    void aTimerThatCouldNotBeCancelledAnyMoreLeavesNoSecondOneBehind() {
        timerQueue.set(timerQueue.entry("late", Duration.ZERO), 100);
        Runnable begun = armed.remove(0);
        timerQueue.set(timerQueue.entry("early", Duration.ZERO), 50);
        assertThat(armed).hasSize(1);
        begun.run();
        assertThat(armed).as("timers of one queue").hasSize(1);
        now = 50;
        armed.remove(0).run();
        assertThat(done).containsExactly("early");
        assertThat(armed).hasSize(1);
    }

    @Test
    void anEntrySharesCallsWithOthersOnlyInTheLastQuarterOfItsTime() {
        TimerQueue.Entry<String> soon = timerQueue.entry("soon", Duration.ofNanos(1_000));
        timerQueue.set(soon, 100);
        timerQueue.set(timerQueue.entry("other", Duration.ZERO), 74);
        now = 74;
        armed.remove(0).run();
        assertThat(done).containsExactly("other");
        timerQueue.set(timerQueue.entry("another", Duration.ZERO), 75);
        now = 75;
        armed.remove(0).run();
        assertThat(done).containsExactly("other", "another", "soon");
    }

    private final class Clockwork implements Timers {
        @Override
        public Scheduled after(Duration delay, Runnable task) {
            armed.add(task);
            return () -> armed.remove(task);
        }

        @Override
        public void close() {
            armed.clear();
        }
    }
}
