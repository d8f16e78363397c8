package io.interlock.run;

import io.interlock.LockKey;
import io.interlock.RunId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a guarded key stands for: a cluster, an event, a database.
 *
 * @param key whose resource it is
 * @param kind for people
 * @param state where it stands
 * @param version rises by one with every change
 * @param owner the run that moves it now, also while that run waits for its next attempt
 */
public record Resource(
        LockKey key,
        String kind,
        String state,
        long version,
        @Nullable RunId owner) {

    /** The state of a resource nobody has touched. */
    public static final String UNTOUCHED = "none";

    /** The run that moves it now, if any. */
    public Optional<RunId> owningRun() {
        return Optional.ofNullable(owner);
    }
}
