package io.interlock.engine.internal;

import io.interlock.RunId;
import io.interlock.engine.EngineEvent;
import io.interlock.run.CancelAnswer;
import io.interlock.spi.run.CancelRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends runs that have not begun, and asks others to stop. Whoever is here and concerned hears of it at once. */
final class Cancels {

    private static final Logger log = LoggerFactory.getLogger(Cancels.class);

    private final House house;

    Cancels(House house) {
        this.house = house;
    }

    /** Blocks. */
    CancelAnswer cancel(RunId run, String actor, String reason) {
        CancelAnswer answer = house.settings().store().cancel(new CancelRequest(run, actor, reason));
        if (answer instanceof CancelAnswer.Cancelled cancelled) {
            log.info(
                    "{} cancelled run {} under {}: {}",
                    actor,
                    run,
                    cancelled.run().key(),
                    reason);
            house.events().tell(new EngineEvent.RunEnded(cancelled.run()));
            house.ends().noticed(cancelled.run());
            house.nodes().over(cancelled.run());
            house.workers().wake();
        } else if (answer instanceof CancelAnswer.StopRequested asked) {
            log.info(
                    "{} asked run {} under {} to stop: {}",
                    actor,
                    run,
                    asked.run().key(),
                    reason);
            house.activeRuns()
                    .of(run)
                    .forEach(held -> asked.run()
                            .status()
                            .stopRequest()
                            .ifPresent(stop -> house.activeRuns().stop(held, stop)));
        }
        return answer;
    }
}
