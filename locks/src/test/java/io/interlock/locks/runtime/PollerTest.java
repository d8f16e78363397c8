package io.interlock.locks.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PollerTest {

    private final List<Duration> planned = new ArrayList<>();
    private final AtomicInteger looks = new AtomicInteger();
    private final Timers timers = new Timers() {
        @Override
        public Scheduled after(Duration delay, Runnable task) {
            planned.add(delay);
            return () -> {};
        }

        @Override
        public void close() {}
    };
    private final Poller poller = new Poller(
            new Poller.Pace(timers, new LocalTime(Environment.system()), Duration.ofSeconds(1)),
            looks::incrementAndGet);

    @Test
    void aPauseOfNothingIsStillAPause() {
        poller.look();
        poller.looked(Duration.ZERO);
        assertThat(looks).hasValue(1);
        assertThat(planned).containsExactly(Duration.ofMillis(5));
    }

    @Test
    void withoutAPauseTheNextLookComesAtOnce() {
        poller.look();
        poller.looked(null);
        assertThat(looks).hasValue(2);
        assertThat(planned).isEmpty();
    }

    @Test
    void aWakeUpDuringALookMakesItLookAgain() {
        poller.look();
        poller.look();
        assertThat(looks).hasValue(1);
        poller.looked();
        assertThat(looks).hasValue(2);
    }

    @Test
    void whatCouldNotBeListenedToMayBeListenedToLater() {
        assertThatThrownBy(() -> poller.listen(look -> {
                    throw new IllegalStateException("away");
                }))
                .hasMessage("away");
        assertThat(looks).hasValue(0);
        poller.listen(look -> () -> {});
        assertThat(looks).hasValue(1);
    }

    @Test
    void aSubscriptionThatComesAfterTheEndIsClosed() {
        AtomicInteger closed = new AtomicInteger();
        poller.listen(look -> {
            poller.end();
            return closed::incrementAndGet;
        });
        assertThat(closed).hasValue(1);
        assertThat(looks).hasValue(0);
    }
}
