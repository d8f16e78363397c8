package io.interlock.spi.run;

/** Keeps what runs have to say. It decides nothing. */
@FunctionalInterface
public interface OutputNotes {

    /**
     * Keeps the end of what a run has to say, instead of what was kept before.
     *
     * @return whether the proof was that of the run's current or last attempt; if not, nothing was changed
     */
    boolean keepOutput(OutputNote note);
}
