package io.interlock.browser;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;

/** Waits for events on the server. */
final class Patience {

    private Patience() {}

    static void until(Callable<Boolean> happened) {
        Awaitility.await()
                .pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(20))
                .until(happened);
    }
}
