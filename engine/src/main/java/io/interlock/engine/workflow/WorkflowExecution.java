package io.interlock.engine.workflow;

import io.interlock.RunId;

/**
 * What came of a request to run a workflow.
 *
 * @param duplicate whether it was there before: the same event was seen already, or the job joins
 */
public record WorkflowExecution(RunId id, boolean duplicate) {}
