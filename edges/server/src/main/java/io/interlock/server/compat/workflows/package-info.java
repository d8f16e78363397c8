/** Workflows started by webhooks: one execution at a time, one for each event. */
@NullMarked
package io.interlock.server.compat.workflows;

import org.jspecify.annotations.NullMarked;
