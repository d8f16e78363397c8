package io.interlock.run;

import io.interlock.LeaseRecord;

/** A claimed run. */
public record Claimed(Run run, LeaseRecord lease) {}
