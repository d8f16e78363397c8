/** Ingestion of events: one at a time for each event. */
@NullMarked
package io.interlock.server.compat.ingestion;

import org.jspecify.annotations.NullMarked;
