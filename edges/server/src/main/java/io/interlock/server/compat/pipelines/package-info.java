/** Pipelines of tenants: a second start gets the run under way. */
@NullMarked
package io.interlock.server.compat.pipelines;

import org.jspecify.annotations.NullMarked;
