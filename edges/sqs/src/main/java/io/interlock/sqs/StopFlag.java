package io.interlock.sqs;

import io.interlock.time.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Whether to continue, and sleeps that end at once when not. Thread-safe. */
final class StopFlag {

    private final Timers timers;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    StopFlag(Timers timers) {
        this.timers = timers;
    }

    boolean on() {
        return !ended.isDone();
    }

    void end() {
        ended.complete(null);
    }

    /** Sleeps until {@code time} is over or the flag is set. */
    void rest(Duration time) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        Timers.Scheduled later = timers.after(time, () -> over.complete(null));
        CompletableFuture.anyOf(over, ended).join();
        later.cancel();
    }
}
