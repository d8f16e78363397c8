package io.interlock.spi.run;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Run;
import io.interlock.run.RunTexts;

/**
 * The end of the output of an attempt so far.
 *
 * @param text at most 64 KiB
 */
public record OutputNote(RunId run, LockKey key, LeaseId lease, FencingToken token, String text) {

    /** Of how many attempts of a run the output is kept, the last ones. */
    public static final int MOST_ATTEMPTS = 10;

    public OutputNote {
        RunTexts.body("output", text);
    }

    /** Whether lease id and token belong to the current or the last attempt of {@code run}. */
    public boolean isProofOf(Run run) {
        return run.id().equals(this.run)
                && run.key().equals(key)
                && run.status()
                        .lastTurn()
                        .map(turn -> turn.isProvedBy(lease, token))
                        .orElse(false);
    }
}
