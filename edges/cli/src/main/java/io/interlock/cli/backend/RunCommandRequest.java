package io.interlock.cli.backend;

import io.interlock.LockKey;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A command that somebody wants to run under a key.
 *
 * @param key the key
 * @param job the kind of work, for the record
 * @param ifBusy what happens if somebody else has the key
 * @param maxWait how long to wait, or {@code null} for as long as it takes
 * @param lease how long the lease lives without a heartbeat
 * @param grace how long the command may take to stop
 * @param priority from −100 to 100
 * @param reason for whoever waits, or {@code null}
 * @param labels for people
 * @param program what is run, without its arguments: those may be nobody's business
 */
public record RunCommandRequest(
        LockKey key,
        String job,
        IfBusy ifBusy,
        @Nullable Duration maxWait,
        Duration lease,
        Duration grace,
        int priority,
        @Nullable String reason,
        Map<String, String> labels,
        String program) {

    /** What happens if somebody else has the key. */
    public enum IfBusy {
        /** That is an error. */
        FAIL,
        /** That is no error. */
        SKIP,
        /** Waits in line. */
        WAIT
    }

    /** Copies the labels. */
    public RunCommandRequest {
        labels = Map.copyOf(labels);
    }
}
