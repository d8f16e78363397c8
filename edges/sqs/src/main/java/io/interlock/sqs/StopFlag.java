package io.interlock.sqs;

import io.interlock.time.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Whether to go on, and rests that end at once when not. Safe for use by many threads. */
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

    /** Rests, but not beyond the end. */
    void rest(Duration time) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        Timers.Scheduled later = timers.after(time, () -> over.complete(null));
        CompletableFuture.anyOf(over, ended).join();
        later.cancel();
    }
}
