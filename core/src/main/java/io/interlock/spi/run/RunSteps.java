package io.interlock.spi.run;

import io.interlock.run.CancelAnswer;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.MoveAnswer;
import io.interlock.run.Pause;
import io.interlock.run.RedriveAnswer;
import io.interlock.run.ResourceAnswer;
import io.interlock.run.TurnAnswer;
import io.interlock.spi.Answers;
import java.util.List;

/** The steps of callers and operators on runs, pauses and resources. See {@link RunStore} for the general rules. */
public interface RunSteps {

    /** Starts, joins, queues or refuses. */
    Answers<SubmitAnswer> submit(List<SubmitRequest> requests);

    /** Grants a waiting caller its turn, if it comes next. */
    Answers<TurnAnswer> takeTurn(List<TurnRequest> requests);

    /** Ends a run that has not started, or requests a started one to stop. */
    CancelAnswer cancel(CancelRequest request);

    /** Moves a waiting run to the front of its queue, by {@link io.interlock.spi.run.rules.MoveRules}. */
    MoveAnswer moveToFront(MoveRequest request);

    /**
     * Creates a new run for the work of a dead one, with a new set of attempts and the dead run's queue limits. It
     * waits in the queue if the key is taken, regardless of the dead run's policy, and its submitter is the actor. The
     * new run, the disposition of the letter, and an audit record {@code redriven} that names the new run are written
     * in the same step.
     *
     * @throws io.interlock.InvalidSettingException if another run has the new run's id
     */
    RedriveAnswer redrive(RedriveRequest request);

    /** Discards a dead letter; an audit record {@code discarded} is written in the same step. */
    DiscardAnswer discard(DiscardRequest request);

    /** Stops grants under some keys; from the return of this call on, nothing is granted there. */
    Pause pause(PauseRequest request);

    /**
     * Ends a pause, and lets the first run in the queue of each key start. It returns quickly for any number of keys:
     * it settles the first of them, and the following claims and sweeps settle the others page by page.
     *
     * @return whether there was such a pause that had not ended
     */
    boolean resume(ResumeRequest request);

    /** Sets the state of a resource, to create or repair it; never while a run owns it. */
    ResourceAnswer setResource(ResourceRequest request);
}
