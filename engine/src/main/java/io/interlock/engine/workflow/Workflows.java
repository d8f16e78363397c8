package io.interlock.engine.workflow;

import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RefusedException;
import io.interlock.RunId;
import io.interlock.RunRefusal;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import java.util.Optional;

/**
 * Runs workflows, of which one execution is under way at a time. A workflow is the job of its name under the key
 * {@code workflow/{id}}. Safe for use by many threads.
 *
 * <pre>{@code
 * try {
 *     RunId execution = Workflows.on(engine).runWorkflow("acme", "invoice", "{\"amount\":7}");
 * } catch (WorkflowLockedException locked) {
 *     follow(locked.existingExecutionId());
 * }
 * }</pre>
 */
public final class Workflows {

    /** How the names of keys of workflows begin. */
    public static final String KEYS = "workflow/";

    private final RunEngine engine;

    private Workflows(RunEngine engine) {
        this.engine = engine;
    }

    public static Workflows on(RunEngine engine) {
        return new Workflows(engine);
    }

    /** Asks for an execution of {@code workflow}. */
    public static RunRequest request(String tenant, String workflow) {
        return RunRequest.of(LockKey.of(tenant, KEYS + workflow), workflow);
    }

    /**
     * Starts an execution.
     *
     * @param triggerInput JSON text for the work
     * @throws WorkflowLockedException if another one is under way
     * @throws LockAcquisitionFailedException if another request was faster, and no execution is under way now
     * @throws RefusedException if something else than an execution stands in the way: a pause, a limit, a state
     */
    public RunId runWorkflow(String tenant, String workflow, String triggerInput) {
        return run(request(tenant, workflow).parameters(triggerInput)).id();
    }

    /**
     * Starts an execution for an event, or finds the one it was started for before; whatever else may differ is not compared.
     *
     * @param event names the event, once for the tenant
     * @throws WorkflowLockedException like {@link #runWorkflow}
     * @throws LockAcquisitionFailedException like {@link #runWorkflow}
     * @throws RefusedException like {@link #runWorkflow}
     */
    public Execution runWorkflowIdempotent(String tenant, String workflow, String event, String triggerInput) {
        return run(forEvent(request(tenant, workflow).parameters(triggerInput), event));
    }

    /** {@code request}, once for an event. */
    public static RunRequest forEvent(RunRequest request, String event) {
        return request.idempotencyKey(event).fingerprint(request.key().name());
    }

    /** Starts what is asked for, or finds it; throws like {@link #runWorkflow}. */
    public Execution run(RunRequest request) {
        return execution(request, engine.submit(request));
    }

    /** What {@code answer} to {@code request} means; throws like {@link #runWorkflow}. */
    public Execution execution(RunRequest request, Submission answer) {
        if (answer.run().isPresent()) {
            boolean duplicate = answer instanceof Submission.Duplicate || answer instanceof Submission.Joined;
            return new Execution(answer.run().get().id(), duplicate);
        }
        Refusal refusal = ((Submission.Refused) answer).refusal();
        String workflow = request.job().value();
        Optional<RunId> incumbent = answer.incumbent();
        if (incumbent.isPresent()
                && engine.find(incumbent.get())
                        .filter(run -> !run.state().isTerminal())
                        .isPresent()) {
            throw new WorkflowLockedException(workflow, incumbent.get());
        }
        if (refusal instanceof RunRefusal && incumbent.isEmpty()) {
            throw new RefusedException(refusal);
        }
        throw new LockAcquisitionFailedException(workflow, refusal);
    }

    /**
     * What came of a request to run a workflow.
     *
     * @param duplicate whether it was there before: the same event was seen already, or the job joins
     */
    public record Execution(RunId id, boolean duplicate) {}

    /** Another request was faster, and its execution may be over already: ask again soon. */
    public static final class LockAcquisitionFailedException extends InterlockException {

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

        public String workflowId() {
            return workflowId;
        }

        public Refusal refusal() {
            return refusal;
        }
    }

    /** Another execution of the workflow is under way: ask again when it has ended, or follow it. */
    public static final class WorkflowLockedException extends InterlockException {

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

        public String workflowId() {
            return workflowId;
        }

        public RunId existingExecutionId() {
            return existingExecutionId;
        }

        @Override
        public String code() {
            return "lock-held";
        }
    }
}
