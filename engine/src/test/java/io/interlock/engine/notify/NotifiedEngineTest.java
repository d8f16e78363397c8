package io.interlock.engine.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.engine.EngineEvent;
import io.interlock.engine.RunEngine;
import io.interlock.engine.notify.Delivery.NotificationSender;
import io.interlock.engine.notify.NotifyRule.NotifyTarget;
import io.interlock.run.Attempt.Claimed;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Engines that send notifications. */
class NotifiedEngineTest extends NotifyFixture {

    @Test
    void listenersHearOfWhatNobodyOutsideCouldBeTold() {
        ConcurrentLinkedQueue<EngineEvent> events = new ConcurrentLinkedQueue<>();
        NotifyTarget missing =
                new NotifyTarget.Command(List.of("no-such-program"), NotifyTarget.Command.DEFAULT_WITHIN);
        RunEngine engine = RunEngine.builder(store)
                .environment(time)
                .listener(events::add)
                .tell(new NotifyRule("ops", Set.of(Notification.Kind.EVICTED), missing, null))
                .build();
        open.add(engine);
        until(() -> store.notes().bookmark("notify/ops") > 0);
        submit(KEY, spec(1));
        Claimed work = claim();
        engine.evict(KEY, work.lease().token(), "carol", "stuck");
        pass(Duration.ofMinutes(1));
        time.jumpClock(NotificationSender.TRY_FOR.plusHours(1));
        pass(Duration.ofMinutes(5));
        await().until(() -> events.stream().anyMatch(EngineEvent.NotificationGivenUp.class::isInstance));
        assertThat(events)
                .filteredOn(EngineEvent.NotificationGivenUp.class::isInstance)
                .singleElement()
                .isInstanceOfSatisfying(EngineEvent.NotificationGivenUp.class, event -> {
                    assertThat(event.rule()).isEqualTo("ops");
                    assertThat(event.key()).isEqualTo(KEY);
                    assertThat(event.notification().kind()).isEqualTo(Notification.Kind.EVICTED);
                    assertThat(event.why()).contains("could not be started");
                });
    }
}
