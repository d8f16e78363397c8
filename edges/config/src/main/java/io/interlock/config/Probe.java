package io.interlock.config;

import java.time.Duration;

/**
 * Checks, before each attempt of a job, whether its work still runs in another system.
 *
 * @param question the program or URL to call: a {@link Work.Command} or a {@link Work.Http}
 * @param every how long an attempt waits before it repeats the check
 */
public record Probe(Work question, Duration every) {}
