package io.interlock.run;

import io.interlock.LeaseRecord;

/**
 * Work for whoever asked for it.
 *
 * @param run what to do
 * @param lease the right to do it
 */
public record Claimed(Run run, LeaseRecord lease) {}
