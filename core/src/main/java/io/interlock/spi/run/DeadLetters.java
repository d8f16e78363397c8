package io.interlock.spi.run;

import io.interlock.run.DeadLetter;
import java.util.List;

/** Runs whose attempts are used up, and what is done about them. */
public interface DeadLetters {

    /** Dead letters in the order in which their runs were submitted. */
    List<DeadLetter> deadLetters(DeadLetterQuery query);

    /**
     * Lets a new run do the work of a dead one, with all its attempts anew. It waits in line if the key is taken, whatever
     * the dead run's policy was. The new run, and what was done about the letter, are kept in the same step.
     */
    RedriveAnswer redrive(RedriveRequest request);

    /** Says that nobody does the work of a dead run. */
    DiscardAnswer discard(DiscardRequest request);
}
