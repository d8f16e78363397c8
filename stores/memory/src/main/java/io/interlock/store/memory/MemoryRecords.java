package io.interlock.store.memory;

import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.DeadLetters;
import io.interlock.spi.run.RunHistory;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.RunViews;

/** The data stored beside runs. */
record MemoryRecords(DeadLetters letters, AuditLog audit, RunNotes notes, RunViews views, RunHistory history) {

    /** The records of {@code table}. */
    static MemoryRecords of(RunTable table) {
        return new MemoryRecords(
                new MemoryDeadLetters(table),
                new MemoryAuditLog(table),
                new MemoryNotes(table),
                new MemoryViews(table),
                new MemoryHistory(table));
    }
}
