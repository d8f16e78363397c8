package io.interlock.store.memory;

import io.interlock.spi.run.AuditLog;
import io.interlock.spi.run.DeadLetters;

/**
 * What is kept beside runs.
 *
 * @param letters dead letters
 * @param audit the audit log
 */
record Books(DeadLetters letters, AuditLog audit) {

    /** The books of {@code table}. */
    static Books of(RunTable table) {
        return new Books(new LetterBook(table), new AuditBook(table));
    }

    Books with(DeadLetters letters) {
        return new Books(letters, audit);
    }

    Books with(AuditLog audit) {
        return new Books(letters, audit);
    }
}
