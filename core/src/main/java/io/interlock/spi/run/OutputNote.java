package io.interlock.spi.run;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Run;
import io.interlock.run.RunTexts;

/**
 * The end of what a run has to say so far.
 *
 * @param run the run
 * @param key its key
 * @param lease the grant's name
 * @param token the grant's token
 * @param text at most 64 KiB
 */
public record OutputNote(RunId run, LockKey key, LeaseId lease, FencingToken token, String text) {

    /** Checks the size. */
    public OutputNote {
        RunTexts.body("output", text);
    }

    /** Whether the proof is that of the current or the last attempt of {@code run}. */
    public boolean isProofOf(Run run) {
        return run.id().equals(this.run)
                && run.key().equals(key)
                && run.status()
                        .lastTurn()
                        .map(turn -> turn.isProvedBy(lease, token))
                        .orElse(false);
    }
}
