package io.interlock.engine;

/**
 * How the workers of an engine stand.
 *
 * @param slots how many runs they do at once
 * @param stuck how many of those by work that was told to stop and does not
 */
public record WorkerStatus(int slots, int busy, int stuck, boolean claiming) {

    /** How many runs could be taken now. */
    public int free() {
        return slots - busy;
    }
}
