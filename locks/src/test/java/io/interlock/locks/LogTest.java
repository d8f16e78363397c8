package io.interlock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.read.ListAppender;
import io.interlock.LockKey;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LogTest extends LocksFixture {

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.interlock.locks");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
    }

    @Test
    void aLeaseHeldTooLongIsLoggedWithItsTimeAndItsLimit() {
        Lease lease = locks.tryAcquire(KEY, LeaseOptions.defaults().maxHold(Duration.ofMinutes(5)))
                .orElseThrow();
        eventuallyAsTimePasses(() -> !lease.isHeld());
        await().untilAsserted(() -> assertThat(warnings())
                .anySatisfy(line -> assertThat(line)
                        .contains("lease of " + KEY + " with token " + lease.token())
                        .contains("lost after 5m")
                        .contains("(limit 5m)")
                        .contains("held longer than its limit allows")));
    }

    @Test
    void aTakeOverIsLoggedWithTheTimeOfTheOneWhoVanished() {
        Lease vanished = hold(KEY);
        store.renewing.fail();
        seconds(31);
        Lease next = hold(KEY);
        assertThat(warnings())
                .anySatisfy(line -> assertThat(line)
                        .contains(KEY + " taken over with token " + next.token())
                        .contains("had it with token " + vanished.token() + " for 30s and never gave it back"));
    }

    @Test
    void aSweepLogsWhatItCleared() {
        Lease vanished = hold(KEY);
        store.renewing.fail();
        seconds(120);
        assertThat(warnings())
                .anySatisfy(line -> assertThat(line)
                        .contains(KEY.toString())
                        .contains("token " + vanished.token())
                        .contains("30s"));
    }

    @Test
    void everybodyHearsThatALeaseIsLostThoughNobodyCanWriteItDown() {
        Set<LockKey> told = ConcurrentHashMap.newKeySet();
        hold(KEY).onLost(cause -> told.add(KEY));
        hold(OTHER).onLost(cause -> told.add(OTHER));
        store.renewing.fail();
        Logger losses = (Logger) LoggerFactory.getLogger("io.interlock.locks.internal.Leases");
        whileItHangs(losses, () -> eventuallyAsTimePasses(() -> told.size() == 2));
    }

    @Test
    void leasesAreRenewedAgainThoughTheLogHangsWithTheFailureBefore() {
        Lease one = hold(KEY);
        Lease other = hold(OTHER);
        // Slow enough for a failure of the whole batch.
        store.renewing.before = () -> {
            seconds(1);
            ScriptedStore.UNAVAILABLE.run();
        };
        Logger renewals = (Logger) LoggerFactory.getLogger("io.interlock.locks.runtime.LeaseRuntime");
        whileItHangs(renewals, () -> {
            eventuallyAsTimePasses(() -> store.renewals.size() > 0);
            store.renewing.heal();
            int before = store.renewals.size();
            eventuallyAsTimePasses(() -> store.renewals.size() > before + 4);
            assertThat(one.isHeld()).isTrue();
            assertThat(other.isHeld()).isTrue();
        });
    }

    private static void whileItHangs(Logger logger, Runnable meanwhile) {
        CountDownLatch mayGo = new CountDownLatch(1);
        AppenderBase<ILoggingEvent> full = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                try {
                    mayGo.await();
                } catch (InterruptedException told) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        full.start();
        logger.addAppender(full);
        try {
            meanwhile.run();
        } finally {
            mayGo.countDown();
            logger.detachAppender(full);
        }
    }

    private List<String> warnings() {
        return List.copyOf(log.list).stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }
}
