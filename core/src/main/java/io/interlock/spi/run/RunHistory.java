package io.interlock.spi.run;

import io.interlock.run.Retention;

/** Forgets what is old. */
public interface RunHistory {

    /**
     * Forgets up to {@code limit} runs and up to {@code limit} audit records that are older than they are kept: runs that
     * have ended, with attempts, output, refusal counts and what was done about them as dead letters. Never a run whose
     * idempotency key still counts, or that has not ended, and never a record that is not sealed. Idempotency keys that no
     * longer count are all forgotten, so that they do not gather however fast they are used. Workers that were last
     * there before that time are forgotten, too, and remote ones {@linkplain io.interlock.run.WorkerNote#REMOTE_KEPT sooner}.
     * Any number of processes may do it at once.
     */
    Forgotten forget(Retention retention, int limit);

    /**
     * What was forgotten.
     *
     * @param runs how many runs
     * @param auditRecords how many audit records
     */
    record Forgotten(int runs, int auditRecords) {}
}
