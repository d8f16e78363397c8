package io.interlock.run;

import io.interlock.LeaseRecord;

/**
 * A claimed run.
 *
 * @param run the run to execute
 * @param lease its lease
 */
public record Claimed(Run run, LeaseRecord lease) {}
