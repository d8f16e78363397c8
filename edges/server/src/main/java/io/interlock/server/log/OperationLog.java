package io.interlock.server.log;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.EngineEvent.EngineListener;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.SweepAction;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * One structured line for everything that happens to a lock: what, under which key of which tenant, by which run and token. Neither
 * parameters nor results are logged, so no secrets are. Safe for use by many threads.
 */
public final class OperationLog implements EngineListener {

    private static final Logger log = LoggerFactory.getLogger("io.interlock.operations");

    private static final Set<RunState> VANISHED = Set.of(RunState.FAILED, RunState.TIMED_OUT, RunState.DEAD);

    // The id of the trace in a W3C traceparent.
    private static final Pattern TRACE = Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-");

    @Override
    public void on(EngineEvent event) {
        if (event instanceof EngineEvent.RunSubmitted submitted) {
            write("submitted", submitted.run());
        } else if (event instanceof EngineEvent.RunJoined joined) {
            write("joined", joined.run());
        } else if (event instanceof EngineEvent.RunRepeated repeated) {
            write("repeated", repeated.run());
        } else if (event instanceof EngineEvent.SubmissionRefused refused) {
            line(Level.INFO, refused.key())
                    .addKeyValue("job", refused.job())
                    .addKeyValue("why", refused.refusal().explanation())
                    .log(refused.skipped() ? "skipped" : "refused");
        } else if (event instanceof EngineEvent.RunStarted started) {
            write("started", started.run());
        } else if (event instanceof EngineEvent.StageEntered entered) {
            of(entered.run(), Level.INFO).addKeyValue("stage", entered.stage()).log("stage entered");
        } else if (event instanceof EngineEvent.AttemptEnded ended) {
            ended(ended.run());
        } else if (event instanceof EngineEvent.RunEnded ended) {
            write("ended", ended.run());
        } else if (event instanceof EngineEvent.Paused paused) {
            line(Level.INFO, paused.key())
                    .addKeyValue("actor", paused.pause().actor())
                    .addKeyValue("why", paused.pause().reason())
                    .log("paused");
        } else if (event instanceof EngineEvent.Resumed resumed) {
            line(Level.INFO, resumed.key())
                    .addKeyValue("actor", resumed.actor())
                    .addKeyValue("why", resumed.reason())
                    .log("resumed");
        } else {
            trouble(event);
        }
    }

    private static void trouble(EngineEvent event) {
        if (event instanceof EngineEvent.LeaseLost lost) {
            of(lost.run(), Level.WARN)
                    .addKeyValue("why", lost.cause().explanation())
                    .log("lease lost");
        } else if (event instanceof EngineEvent.StageOverBudget over) {
            of(over.run(), Level.WARN)
                    .addKeyValue("stage", over.stage())
                    .addKeyValue("budget", over.budget())
                    .log("stage over its budget");
        } else if (event instanceof EngineEvent.StopPassedOn stop) {
            of(stop.run(), Level.INFO)
                    .addKeyValue("actor", stop.stop().actor())
                    .addKeyValue("why", stop.stop().reason())
                    .log("told to stop");
        } else if (event instanceof EngineEvent.WorkStuck stuck) {
            of(stuck.run(), Level.ERROR)
                    .addKeyValue("why", stuck.stop().reason())
                    .log("does not stop");
        } else if (event instanceof EngineEvent.Evicted evicted) {
            line(Level.WARN, evicted.key())
                    .addKeyValue("token", evicted.answer().victim().token())
                    .addKeyValue("actor", evicted.actor())
                    .addKeyValue("why", evicted.reason())
                    .log("evicted");
        } else if (event instanceof EngineEvent.Swept swept) {
            swept(swept.action());
        } else if (event instanceof EngineEvent.AuditAlarm alarm) {
            line(Level.ERROR, alarm.key())
                    .addKeyValue("why", alarm.report().sentence())
                    .log("audit alarm");
        }
    }

    private static void swept(SweepAction action) {
        RunState state = action.state();
        // A lost worker needs attention; the end of a rest or a wait does not.
        boolean vanished = state != null && VANISHED.contains(state);
        LoggingEventBuilder line = line(vanished ? Level.WARN : Level.INFO, action.key());
        if (action.run() != null) {
            line = line.addKeyValue("run", action.run());
        }
        if (state != null) {
            line = line.addKeyValue("state", state);
        }
        line.addKeyValue("why", action.why()).log("settled by the janitor");
    }

    private static void ended(Run run) {
        boolean outOfTime = run.state() == RunState.TIMED_OUT;
        LoggingEventBuilder line = of(run, outOfTime ? Level.WARN : Level.INFO);
        Turn turn = run.status().turn();
        if (turn != null) {
            line = line.addKeyValue(
                    "held", Duration.between(turn.startedAt(), run.status().since()));
        }
        Optional<Duration> limit = run.spec().limits().runtimeLimit();
        if (outOfTime && limit.isPresent()) {
            line = line.addKeyValue("limit", limit.get());
        }
        line.log("attempt ended");
    }

    private static void write(String what, Run run) {
        of(run, Level.INFO).log(what);
    }

    private static LoggingEventBuilder of(Run run, Level level) {
        LoggingEventBuilder line = line(level, run.key())
                .addKeyValue("run", run.id())
                .addKeyValue("job", run.job())
                .addKeyValue("state", run.state());
        Turn turn = run.status().turn();
        if (turn != null) {
            line = line.addKeyValue("token", turn.token())
                    .addKeyValue("attempt", turn.attempt())
                    .addKeyValue("holder", turn.holder().label());
        }
        String trace = run.spec().origin().trace();
        Matcher found = trace == null ? null : TRACE.matcher(trace);
        if (found != null && found.lookingAt()) {
            line = line.addKeyValue("trace", found.group(1));
        }
        RunError error = run.status().error();
        return error == null ? line : line.addKeyValue("error", error.code());
    }

    private static LoggingEventBuilder line(Level level, LockKey key) {
        return log.atLevel(level).addKeyValue("tenant", key.tenant()).addKeyValue("key", key.name());
    }
}
