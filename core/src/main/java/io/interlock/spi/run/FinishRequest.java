package io.interlock.spi.run;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Ending;

/**
 * Says that the work of an attempt has stopped, and how it ended.
 *
 * @param run the run
 * @param key its key
 * @param lease the grant's name
 * @param token the grant's token
 * @param ending how it ended
 */
public record FinishRequest(RunId run, LockKey key, LeaseId lease, FencingToken token, Ending ending) {}
