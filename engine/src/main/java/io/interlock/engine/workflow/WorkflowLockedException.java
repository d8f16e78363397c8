package io.interlock.engine.workflow;

import io.interlock.InterlockException;
import io.interlock.RunId;

/** Another execution of the workflow is under way: ask again when it has ended, or follow it. */
public final class WorkflowLockedException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final String workflowId;
    private final transient RunId existingExecutionId;

    /** Execution {@code existing} of {@code workflow} is under way. */
    public WorkflowLockedException(String workflow, RunId existing) {
        super("Workflow " + workflow + " is currently locked by execution " + existing
                + "; ask again when it has ended, or follow it");
        this.workflowId = workflow;
        this.existingExecutionId = existing;
    }

    /** Which workflow. */
    public String workflowId() {
        return workflowId;
    }

    /** The execution under way. */
    public RunId existingExecutionId() {
        return existingExecutionId;
    }

    @Override
    public String code() {
        return "lock-held";
    }
}
