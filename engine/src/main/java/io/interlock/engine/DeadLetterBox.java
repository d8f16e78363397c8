package io.interlock.engine;

import io.interlock.Actor;
import io.interlock.RunId;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetterQuery;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.RedriveAnswer;
import java.util.List;

/** Runs whose attempts are used up, and what is done about them. Safe for use by many threads. */
public interface DeadLetterBox {

    /** Dead letters in the order in which their runs were submitted. */
    List<DeadLetter> list(DeadLetterQuery query);

    /** Lets a new run do the work of a dead one, with all its attempts anew. It waits in the queue if the key is taken. */
    RedriveAnswer redrive(RunId dead, Actor actor, String reason);

    /** Like {@link #redrive(RunId, Actor, String)}, by one in this process. */
    default RedriveAnswer redrive(RunId dead, String actor, String reason) {
        return redrive(dead, Actor.of(actor), reason);
    }

    /** Discards a dead run: its work is not done any more. */
    DiscardAnswer discard(RunId dead, Actor actor, String reason);

    /** Like {@link #discard(RunId, Actor, String)}, by one in this process. */
    default DiscardAnswer discard(RunId dead, String actor, String reason) {
        return discard(dead, Actor.of(actor), reason);
    }
}
