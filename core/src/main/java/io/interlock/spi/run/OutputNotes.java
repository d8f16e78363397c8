package io.interlock.spi.run;

/** Keeps the output of runs, which has no effect on decisions. */
@FunctionalInterface
public interface OutputNotes {

    /**
     * Replaces the stored end of the output of an attempt. That of earlier attempts stays, up to
     * {@value OutputNote#MOST_ATTEMPTS} of them.
     *
     * @return whether lease id and token belong to the run's current or last attempt; if not, nothing was changed
     */
    boolean keepOutput(OutputNote note);
}
