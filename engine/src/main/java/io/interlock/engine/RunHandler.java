package io.interlock.engine;

import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.WorkContext.RunStoppedException;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import java.util.List;
import java.util.Optional;
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

    /**
     * Work that consists of other runs, its nodes. Once the store says that an execution of it is over, every engine that has it among its
     * jobs stops the nodes that the execution has left. Safe for use by many threads.
     */
    interface NodeHandler extends RunHandler {

        /** The jobs of its nodes. */
        List<String> nodes();

        /** The key of a node of the execution under {@code execution}. */
        LockKey nodeKey(LockKey execution, String node);

        /** The runs of {@code node} since {@code execution} was asked for. */
        RunQuery nodeRuns(Run execution, String node);

        /** The execution that asked for {@code node}; empty if none did. */
        Optional<RunId> executionOf(Run node);
    }

    /**
     * The handler gives its attempt up, but the work may go on elsewhere. The key is not released: the lease is left to end by itself,
     * unless the process that works keeps it alive or reports the end with its proof. Then the run goes on as after a crash, or as it was told to stop.
     */
    final class WorkGoesOnException extends InterlockException {

        private static final long serialVersionUID = 1L;

        public WorkGoesOnException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
