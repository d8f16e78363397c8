package io.interlock.engine;

import org.jspecify.annotations.Nullable;

/**
 * Does the work of a job. It may be called again for the same run after a failure or a crash, so it should go on where the
 * attempt before has stopped, and do no harm where that was already done.
 *
 * <p>It is called on a thread of its own, which is interrupted when the work must stop: because the lease was lost, the max
 * runtime is over, or the run was cancelled. Whatever it returns or throws after a loss does not count.
 *
 * <pre>{@code
 * RunHandler close = run -> {
 *     run.stage("load");
 *     ledger.close(run.key(), run.token());
 *     return null;
 * };
 * }</pre>
 */
@FunctionalInterface
public interface RunHandler {

    /**
     * Does the work.
     *
     * @return the result, as JSON text of at most 64 KiB, or {@code null}
     * @throws PermanentFailureException if trying again cannot help
     * @throws RunStoppedException if it stopped because it was asked to
     * @throws WorkGoesOnException if it gave up, and another process may work on
     * @throws Exception if it failed; whether it is tried again is the job's to say
     */
    @Nullable
    String run(RunContext context) throws Exception;

    /**
     * Whether it needs one of the slots of its process, as it does unless it only waits for other runs. Of a job that needs none, a
     * process does at most eight runs for each of its slots at once; further ones stay in the queue.
     */
    default boolean takesSlot() {
        return true;
    }
}
