package io.interlock.spi.run;

/** Keeps the output of runs, which has no effect on decisions. */
@FunctionalInterface
public interface OutputNotes {

    /**
     * Replaces the stored end of the output of a run.
     *
     * @return whether lease id and token belong to the run's current or last attempt; if not, nothing was changed
     */
    boolean keepOutput(OutputNote note);
}
