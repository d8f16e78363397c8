package io.interlock.run;

import io.interlock.InvalidSettingException;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A guard: the job may start only in certain states of the resource behind its key, and changes that state, in the
 * same atomic step as the lock.
 *
 * @param from the states from which it may start; a resource that was never changed is in state
 * {@value Resource#UNTOUCHED}
 * @param during the state while it runs, also between two attempts
 * @param success the state after a success
 * @param failure the state after any other outcome; {@value #PREVIOUS} is the state it started from
 */
public record Transition(String resource, Set<String> from, String during, String success, String failure) {

    /** As {@link #failure}: the resource returns to its state before the run. */
    public static final String PREVIOUS = "previous";

    private static final int MAX_LENGTH = 100;

    public Transition {
        from = Set.copyOf(from);
        if (from.isEmpty()) {
            throw new InvalidSettingException(
                    "transition.from", from, "is empty", "name the states the job may start from");
        }
        Stream.concat(Stream.of(resource, during, success, failure), from.stream())
                .forEach(state -> {
                    if (state.isBlank() || state.length() > MAX_LENGTH) {
                        throw new InvalidSettingException(
                                "transition",
                                state,
                                "has a blank or too long name; the limit is " + MAX_LENGTH + " characters",
                                "name states like READY or DESTROYING");
                    }
                });
        if (from.contains(PREVIOUS) || during.equals(PREVIOUS) || success.equals(PREVIOUS)) {
            throw new InvalidSettingException(
                    "transition",
                    PREVIOUS,
                    "is not a valid state name",
                    "use it for failure only, or choose another name");
        }
    }

    /** Whether the job may start while the resource is in {@code state}. */
    public boolean mayStartFrom(String state) {
        return from.contains(state);
    }

    /** The state of {@code resource} after the job ended without success. */
    public String afterFailure(Resource resource) {
        return failure.equals(PREVIOUS) ? resource.settledState() : failure;
    }

    /** The states from which it may start, sorted, for messages. */
    public Set<String> allowed() {
        return new TreeSet<>(from);
    }
}
