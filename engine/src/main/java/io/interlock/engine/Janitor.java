package io.interlock.engine;

import java.util.List;
import java.util.Optional;

/**
 * Cleans up expired leases and lost runs on keys that no step touches, and says what it did and why. Every engine has one; any number
 * of them may work on one store. No key depends on it: whatever step touches a key settles it first. Safe for use by many
 * threads.
 */
public interface Janitor {

    /**
     * Does one round now.
     *
     * @return what each sweep did
     */
    List<SweepRound> runOnce();

    /** The last round, if there was one. */
    Optional<List<SweepRound>> lastRound();
}
