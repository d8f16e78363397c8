/** Phases of flows: a second resume starts nothing. */
@NullMarked
package io.interlock.server.door.flows;

import org.jspecify.annotations.NullMarked;
