package io.interlock.run;

import io.interlock.LockKey;
import io.interlock.RunId;
import java.time.Instant;
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
 * @param settledState the state it had when no run moved it last; {@code state} itself while no run moves it
 * @param settledAt when it came to that state, or {@code null} if the store does not know
 */
public record Resource(
        LockKey key,
        String kind,
        String state,
        long version,
        @Nullable RunId owner,
        String settledState,
        @Nullable Instant settledAt) {

    /** The state of a resource nobody has touched. */
    public static final String UNTOUCHED = "none";

    /** One that no run moves, in {@code state} since {@code now}. */
    public static Resource settled(LockKey key, String kind, String state, long version, Instant now) {
        return new Resource(key, kind, state, version, null, state, now);
    }

    /** This, moved by another run. */
    public Resource ownedBy(RunId run) {
        return new Resource(key, kind, state, version, run, settledState, settledAt);
    }

    /** When it came to the state it had when no run moved it last, if the store knows. */
    public Optional<Instant> settledSince() {
        return Optional.ofNullable(settledAt);
    }

    /** The run that moves it now, if any. */
    public Optional<RunId> owningRun() {
        return Optional.ofNullable(owner);
    }
}
