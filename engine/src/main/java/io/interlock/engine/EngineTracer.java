package io.interlock.engine;

import io.interlock.engine.EngineEvent.EngineListener;
import io.interlock.run.Run;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Follows submissions and attempts where they happen, for traces that reach into the work, and is told what happens. Its methods return soon and throw
 * nothing. Called by many threads at once.
 */
public interface EngineTracer extends EngineListener {

    Submitting submitting(RunRequest request);

    /** An attempt begins; the calling thread will do its work. */
    TracedWork working(Run run);

    interface Submitting {

        /** The request as it is to be made, with the trace that its run is to keep. */
        RunRequest request();

        /** It was answered, or it failed. */
        void ended(@Nullable Submission answer, @Nullable Throwable failure);
    }

    interface TracedWork {

        /** The W3C {@code traceparent} for what the work calls, or {@code null} if there is none. */
        @Nullable
        String traceparent();

        /** The work has ended; on the thread that did it, before the store knows. */
        void ended(@Nullable Throwable failure, Instant at);
    }
}
