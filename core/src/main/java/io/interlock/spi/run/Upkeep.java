package io.interlock.spi.run;

import io.interlock.run.Retention;
import io.interlock.run.SweepAction;
import java.util.List;

/** The steps of a sweeper: settles what is due on idle keys, and deletes old history. */
public interface Upkeep {

    /**
     * Settles expiries and timeouts of up to {@code limit} due keys. Any number of processes may sweep at once.
     *
     * @return the actions with their reasons
     */
    List<SweepAction> sweepRuns(int limit);

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
