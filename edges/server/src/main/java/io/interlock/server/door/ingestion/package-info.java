/** Ingestion of events: one at a time for each event. */
@NullMarked
package io.interlock.server.door.ingestion;

import org.jspecify.annotations.NullMarked;
