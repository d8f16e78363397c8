package io.interlock.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.sqs.Queue.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The ages of messages. */
class MessageAgesTest {

    private static final Instant NOON = Instant.parse("2026-11-15T12:00:00Z");

    private final AtomicReference<Instant> now = new AtomicReference<>(NOON);
    private final Receiver.MessageAges waits = new Receiver.MessageAges(now::get);

    @Test
    void whatWasReceivedLastTellsHowLongItHadWaitedUntilNothingComes() {
        assertThat(waits.longest(Optional.empty())).isZero();
        waits.received(sent(NOON.minusSeconds(600)));
        now.set(NOON.plusSeconds(20));
        assertThat(waits.longest(Optional.empty())).isEqualTo(Duration.ofMinutes(10));
        waits.received(sent(NOON.plusSeconds(15)));
        assertThat(waits.longest(Optional.empty())).isEqualTo(Duration.ofSeconds(5));
        waits.received(Optional.empty());
        assertThat(waits.longest(Optional.empty())).isZero();
    }

    @Test
    void whatIsHeldGrowsOlder() {
        Optional<Instant> held = Optional.of(NOON.minusSeconds(60));
        assertThat(waits.longest(held)).isEqualTo(Duration.ofMinutes(1));
        now.set(NOON.plusSeconds(60));
        assertThat(waits.longest(held)).isEqualTo(Duration.ofMinutes(2));
        waits.received(sent(NOON.minusSeconds(600)));
        assertThat(waits.longest(held)).isEqualTo(Duration.ofMinutes(11));
    }

    @Test
    void everyReceiverTellsForItself() throws InterruptedException {
        Thread other = new Thread(() -> waits.received(sent(NOON.minusSeconds(600))));
        other.start();
        other.join();
        waits.received(Optional.empty());
        assertThat(waits.longest(Optional.empty())).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void whatWasSentByAClockThatIsAheadHasNotWaited() {
        waits.received(sent(NOON.plusSeconds(5)));
        waits.received(sent(Instant.MAX));
        assertThat(waits.longest(Optional.of(NOON.plusSeconds(5)))).isZero();
    }

    private static Optional<Message> sent(Instant at) {
        return Optional.of(new Message("id", "group", "", 1, at, "{}", "receipt"));
    }
}
