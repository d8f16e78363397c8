package io.interlock.spi.run;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
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
}
