package io.interlock.browser;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;

/** Waits for events on the server. */
final class Patience {

    private Patience() {}

    static void until(Callable<Boolean> happened) {
        until(happened, Duration.ofSeconds(20));
    }

    /** Waits for an event that takes many steps of the server. */
    static void longer(Callable<Boolean> happened) {
        until(happened, Duration.ofMinutes(3));
    }

    private static void until(Callable<Boolean> happened, Duration atMost) {
        Awaitility.await().pollInterval(Duration.ofMillis(20)).atMost(atMost).until(happened);
    }
}
