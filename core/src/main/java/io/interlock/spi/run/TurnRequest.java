package io.interlock.spi.run;

import io.interlock.LockKey;
import io.interlock.RunId;

/**
 * A waiting caller requests its turn, and shows that it still waits.
 *
 * @param caller the id of its future lease, and the caller
 */
public record TurnRequest(RunId run, LockKey key, SubmitRequest.Caller caller) {}
