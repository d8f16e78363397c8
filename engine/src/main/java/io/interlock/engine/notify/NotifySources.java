package io.interlock.engine.notify;

import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.DeadLetters;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.RunStore;

/**
 * The parts of a store that notifications come from.
 *
 * @param audit what happened
 * @param runs whom it happened to
 * @param letters what waits for somebody
 * @param notes where it is kept what was told already
 */
public record NotifySources(AuditLog audit, RunStore runs, DeadLetters letters, RunNotes notes) {}
