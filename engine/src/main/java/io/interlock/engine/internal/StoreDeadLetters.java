package io.interlock.engine.internal;

import io.interlock.Actor;
import io.interlock.RunId;
import io.interlock.engine.DeadLetterBox;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.engine.internal.wait.EngineLifecycle;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetterQuery;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.RedriveAnswer;
import io.interlock.spi.run.DiscardRequest;
import io.interlock.spi.run.RedriveRequest;
import io.interlock.time.Environment;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The dead letters of a store. */
final class StoreDeadLetters implements DeadLetterBox {

    private static final Logger log = LoggerFactory.getLogger(StoreDeadLetters.class);

    private final EngineSettings settings;
    private final EngineLifecycle lifecycle;
    private final EngineEvents events;

    StoreDeadLetters(EngineSettings settings, EngineLifecycle lifecycle, EngineEvents events) {
        this.settings = settings;
        this.lifecycle = lifecycle;
        this.events = events;
    }

    @Override
    public List<DeadLetter> list(DeadLetterQuery query) {
        return settings.store().deadLetters(query);
    }

    @Override
    public RedriveAnswer redrive(RunId dead, Actor actor, String reason) {
        lifecycle.requireOpen();
        Environment environment = settings.environment();
        RunId anew = RunId.create(environment.clock(), environment.random());
        RedriveAnswer answer = settings.store().redrive(new RedriveRequest(dead, anew, actor, reason));
        if (answer instanceof RedriveAnswer.Redriven redriven) {
            log.info("{} redrove run {} as run {}: {}", actor, dead, anew, reason);
            events.tell(new EngineEvent.RunSubmitted(redriven.run()));
            events.workAppeared();
        }
        return answer;
    }

    @Override
    public DiscardAnswer discard(RunId dead, Actor actor, String reason) {
        DiscardAnswer answer = settings.store().discard(new DiscardRequest(dead, actor, reason));
        if (answer instanceof DiscardAnswer.Settled) {
            log.info("{} discarded run {}: {}", actor, dead, reason);
        }
        return answer;
    }
}
