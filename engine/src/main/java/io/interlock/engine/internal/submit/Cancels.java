package io.interlock.engine.internal.submit;

import io.interlock.Actor;
import io.interlock.Holder;
import io.interlock.RunId;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.worker.ActiveRuns;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.spi.run.RunSteps;
import io.interlock.spi.run.RunSteps.CancelRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends runs that have not begun, and asks others to stop; those held here are told at once. Safe for use by many threads. */
public record Cancels(RunSteps steps, Holder self, ActiveRuns activeRuns, EngineEvents events) {

    private static final Logger log = LoggerFactory.getLogger(Cancels.class);

    /** Cancels {@code run} on behalf of this process. Blocks. */
    public CancelAnswer cancel(RunId run, String reason) {
        return cancel(run, Actor.of(self.label()), reason);
    }

    public CancelAnswer cancel(RunId run, Actor actor, String reason) {
        CancelAnswer answer = steps.cancel(new CancelRequest(run, actor, reason));
        if (answer instanceof CancelAnswer.Cancelled cancelled) {
            Run ended = cancelled.run();
            log.info("{} cancelled run {} under {}: {}", actor, run, ended.key(), reason);
            events.tell(new EngineEvent.RunEnded(ended));
            events.ended(ended);
            events.workAppeared();
        } else if (answer instanceof CancelAnswer.StopRequested asked) {
            Run stopping = asked.run();
            log.info("{} asked run {} under {} to stop: {}", actor, run, stopping.key(), reason);
            StopRequest stop = stopping.status().stopRequest().orElse(null);
            if (stop != null) {
                activeRuns.of(run).forEach(held -> activeRuns.stop(held, stop));
            }
        }
        return answer;
    }
}
