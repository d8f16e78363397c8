/** The operations about what goes on: audit, workers, janitor, jobs, resources. */
@NullMarked
package io.interlock.server.operation;

import org.jspecify.annotations.NullMarked;
