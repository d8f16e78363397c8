package io.interlock.engine.internal.submit;

import io.interlock.Actor;
import io.interlock.Holder;
import io.interlock.RunId;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.worker.ActiveRuns;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.spi.run.RunSteps;
import io.interlock.spi.run.RunSteps.CancelRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends runs that have not begun, and asks others to stop; those held here are told at once. Safe for use by many threads. */
public final class Cancels {

    private static final Logger log = LoggerFactory.getLogger(Cancels.class);

    private final RunSteps steps;
    private final Holder self;
    private final ActiveRuns activeRuns;
    private final EngineEvents events;

    public Cancels(RunSteps steps, Holder self, ActiveRuns activeRuns, EngineEvents events) {
        this.steps = steps;
        this.self = self;
        this.activeRuns = activeRuns;
        this.events = events;
    }

    /** Cancels {@code run} on behalf of this process. Blocks. */
    public CancelAnswer cancel(RunId run, String reason) {
        return cancel(run, Actor.of(self.label()), reason);
    }

    /** Blocks. */
    public CancelAnswer cancel(RunId run, Actor actor, String reason) {
        CancelAnswer answer = steps.cancel(new CancelRequest(run, actor, reason));
        if (answer instanceof CancelAnswer.Cancelled cancelled) {
            log.info(
                    "{} cancelled run {} under {}: {}",
                    actor,
                    run,
                    cancelled.run().key(),
                    reason);
            events.tell(new EngineEvent.RunEnded(cancelled.run()));
            events.ended(cancelled.run());
            events.workAppeared();
        } else if (answer instanceof CancelAnswer.StopRequested asked) {
            log.info(
                    "{} asked run {} under {} to stop: {}",
                    actor,
                    run,
                    asked.run().key(),
                    reason);
            activeRuns
                    .of(run)
                    .forEach(held -> asked.run().status().stopRequest().ifPresent(stop -> activeRuns.stop(held, stop)));
        }
        return answer;
    }
}
