package io.interlock.config;

import java.time.Duration;

/**
 * What asks an outside system, before each attempt of a job, whether the work still goes on there.
 *
 * @param question the program or address that is asked: a {@link Work.Command} or a {@link Work.Http}
 * @param every how long an attempt waits before it asks again
 */
public record Probe(Work question, Duration every) {}
