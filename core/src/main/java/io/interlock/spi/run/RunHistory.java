package io.interlock.spi.run;

import io.interlock.run.Retention;

/** Deletes old history. */
public interface RunHistory {

    /**
     * Deletes up to {@code limit} runs and up to {@code limit} audit records that are older than their retention:
     * ended runs, with attempts, output, refusal counts and dispositions. It never deletes a run that has not ended or
     * whose idempotency key is still valid, or a record that is not sealed. All expired idempotency keys are deleted,
     * so that they do not accumulate at any rate. Inactive workers are deleted, too, and remote ones
     * {@linkplain io.interlock.run.WorkerNote#REMOTE_KEPT sooner}.
     * Any number of processes may do it at once.
     */
    Forgotten forget(Retention retention, int limit);

    /** The deleted history. */
    record Forgotten(int runs, int auditRecords) {}
}
