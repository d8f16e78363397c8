/** The operations about runs, locks, the audit log, workers, the janitor, jobs, resources, API keys and sessions. */
@NullMarked
package io.interlock.server.operation;

import org.jspecify.annotations.NullMarked;
