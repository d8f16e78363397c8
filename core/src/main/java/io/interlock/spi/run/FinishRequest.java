package io.interlock.spi.run;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Ending;

/** Reports that the work of an attempt has stopped, and its outcome. */
public record FinishRequest(RunId run, LockKey key, LeaseId lease, FencingToken token, Ending ending) {}
