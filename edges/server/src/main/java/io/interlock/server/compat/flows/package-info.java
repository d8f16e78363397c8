/** Phases of flows: a second resume starts nothing. */
@NullMarked
package io.interlock.server.compat.flows;

import org.jspecify.annotations.NullMarked;
