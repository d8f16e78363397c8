package io.interlock.spi.run;

import io.interlock.LockKey;
import io.interlock.RunId;

/**
 * A caller that waits asks whether it is its turn, and shows that it still waits.
 *
 * @param run its run
 * @param key the run's key
 * @param caller the name of the grant to come, and who asks
 */
public record TurnRequest(RunId run, LockKey key, SubmitRequest.Caller caller) {}
