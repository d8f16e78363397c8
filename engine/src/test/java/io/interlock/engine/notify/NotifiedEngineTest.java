package io.interlock.engine.notify;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.interlock.engine.EngineEvent;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.notify.Delivery.NotificationSender;
import io.interlock.engine.notify.NotifyRule.NotifyTarget;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.RunSpec.Execution;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Engines that send notifications. */
class NotifiedEngineTest extends NotifyFixture {

    @Test
    void aReceiverThatTakesItsTimeDoesNotHoldUpClosing(@TempDir Path folder) throws Exception {
        Path begun = folder.resolve("begun");
        Path go = folder.resolve("go");
        NotifyTarget slow = new NotifyTarget.Command(
                List.of("sh", "-c", "touch '" + begun + "'; until [ -e '" + go + "' ]; do sleep 0.05; done"),
                Duration.ofMinutes(5));
        MemoryStore shared = new MemoryStore(Environment.system());
        RunEngine engine = RunEngine.builder(shared)
                .tell(new NotifyRule("ops", Set.of(Notification.Kind.EVICTED), slow, null))
                .build();
        await().until(() -> shared.notes().bookmark("notify/ops") > 0);
        Submission.Started started =
                (Submission.Started) engine.submit(RunRequest.of(KEY, "close").execution(Execution.CALLER));
        engine.evict(KEY, requireNonNull(started.lease()).token(), "carol", "stuck");
        requireNonNull(started.work()).close();
        await().until(() -> Files.exists(begun));
        assertTimeout(Duration.ofSeconds(15), engine::close);
        Files.createFile(go);
        await().until(() -> ProcessHandle.current().children().noneMatch(ProcessHandle::isAlive));
    }

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
