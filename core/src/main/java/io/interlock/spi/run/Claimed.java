package io.interlock.spi.run;

import io.interlock.LeaseRecord;
import io.interlock.run.Run;

/**
 * Work for whoever asked for it.
 *
 * @param run what to do
 * @param lease the right to do it
 */
public record Claimed(Run run, LeaseRecord lease) {}
