package io.interlock.engine;

import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import java.util.concurrent.CompletionStage;

/**
 * Where callers that wait in a queue take their turns: all that such a wait asks of a store, or of a server in front of one. Safe for
 * use by many threads.
 */
public interface TurnSource {

    /** Takes the turn if it has come, without waiting for it. Also shows that the caller still waits. */
    CompletionStage<TurnAnswer> take(TurnRequest request);

    /** Calls {@code look} when the turn may have come. May block for a moment. */
    ChangeFeed.Subscription watch(TurnRequest request, Runnable look);

    /** Takes a run out of the queue whose caller has left. May block. */
    void cancel(CancelRequest request);

    /** Which store or server, for messages, without secrets. */
    String name();
}
