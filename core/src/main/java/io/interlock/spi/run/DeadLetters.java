package io.interlock.spi.run;

import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetterQuery;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.RedriveAnswer;
import java.util.List;

/** Runs that have used up their attempts, and their settlement. */
public interface DeadLetters {

    /** Dead letters in the order in which their runs were submitted. */
    List<DeadLetter> deadLetters(DeadLetterQuery query);

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
}
