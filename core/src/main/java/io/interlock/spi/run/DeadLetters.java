package io.interlock.spi.run;

import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetterQuery;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.RedriveAnswer;
import java.util.List;

/** Runs whose attempts are used up, and what is done about them. */
public interface DeadLetters {

    /** Dead letters in the order in which their runs were submitted. */
    List<DeadLetter> deadLetters(DeadLetterQuery query);

    /**
     * Lets a new run do the work of a dead one, with all its attempts anew, under the dead run's limits of the line. It
     * waits in line if the key is taken, whatever the dead run's policy was, and comes from whoever redrives. The new run,
     * what was done about the letter, and an audit record {@code redriven} about the dead run that names the new one, are
     * kept in the same step.
     *
     * @throws io.interlock.InvalidSettingException if the new run's name is that of another run
     */
    RedriveAnswer redrive(RedriveRequest request);

    /** Says that nobody does the work of a dead run; an audit record {@code discarded} is kept in the same step. */
    DiscardAnswer discard(DiscardRequest request);
}
