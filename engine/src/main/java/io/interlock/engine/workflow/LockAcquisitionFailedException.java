package io.interlock.engine.workflow;

import io.interlock.InterlockException;
import io.interlock.Refusal;

/** Another request was faster, and its execution may be over already: ask again soon. */
public final class LockAcquisitionFailedException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final String workflowId;
    private final transient Refusal refusal;

    /** {@code workflow} was refused for {@code refusal}, and no execution of it is under way now. */
    public LockAcquisitionFailedException(String workflow, Refusal refusal) {
        super("Concurrent lock acquisition detected for workflow " + workflow + ": " + refusal.explanation()
                + "; ask again soon");
        this.workflowId = workflow;
        this.refusal = refusal;
    }

    /** Which workflow. */
    public String workflowId() {
        return workflowId;
    }

    /** Why it was refused. */
    public Refusal refusal() {
        return refusal;
    }
}
