package io.interlock.server.log;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.EngineEvent.EngineListener;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.SweepAction;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
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
            of(Level.INFO, submitted.run()).log("submitted");
        } else if (event instanceof EngineEvent.RunJoined joined) {
            of(Level.INFO, joined.run()).log("joined");
        } else if (event instanceof EngineEvent.RunRepeated repeated) {
            of(Level.INFO, repeated.run()).log("repeated");
        } else if (event instanceof EngineEvent.SubmissionRefused refused) {
            line(Level.INFO, refused.key())
                    .addKeyValue("job", refused.job())
                    .addKeyValue("why", refused.refusal().explanation())
                    .log(refused.skipped() ? "skipped" : "refused");
        } else if (event instanceof EngineEvent.RunStarted started) {
            of(Level.INFO, started.run()).log("started");
        } else if (event instanceof EngineEvent.StageEntered entered) {
            with(of(Level.INFO, entered.run()), "stage", entered.stage()).log("stage entered");
        } else if (event instanceof EngineEvent.AttemptEnded ended) {
            ended(ended.run());
        } else if (event instanceof EngineEvent.RunEnded ended) {
            of(Level.INFO, ended.run()).log("ended");
        } else if (event instanceof EngineEvent.Paused paused) {
            Pause pause = paused.pause();
            with(line(Level.INFO, paused.key()), "actor", pause.actor(), "why", pause.reason())
                    .log("paused");
        } else if (event instanceof EngineEvent.Resumed resumed) {
            with(line(Level.INFO, resumed.key()), "actor", resumed.actor(), "why", resumed.reason())
                    .log("resumed");
        } else {
            trouble(event);
        }
    }

    private static void trouble(EngineEvent event) {
        if (event instanceof EngineEvent.LeaseLost lost) {
            with(of(Level.WARN, lost.run()), "why", lost.cause().explanation()).log("lease lost");
        } else if (event instanceof EngineEvent.StageOverBudget over) {
            with(of(Level.WARN, over.run()), "stage", over.stage(), "budget", over.budget())
                    .log("stage over its budget");
        } else if (event instanceof EngineEvent.StopPassedOn stop) {
            of(Level.INFO, stop.run())
                    .addKeyValue("actor", stop.stop().actor())
                    .addKeyValue("why", stop.stop().reason())
                    .log("told to stop");
        } else if (event instanceof EngineEvent.WorkStuck stuck) {
            with(of(Level.ERROR, stuck.run()), "why", stuck.stop().reason()).log("does not stop");
        } else if (event instanceof EngineEvent.Evicted evicted) {
            FencingToken token = evicted.answer().victim().token();
            with(line(Level.WARN, evicted.key()), "token", token, "actor", evicted.actor(), "why", evicted.reason())
                    .log("evicted");
        } else if (event instanceof EngineEvent.Swept swept) {
            swept(swept.action());
        } else if (event instanceof EngineEvent.AuditAlarm alarm) {
            with(line(Level.ERROR, alarm.key()), "why", alarm.report().sentence())
                    .log("audit alarm");
        }
    }

    private static void swept(SweepAction action) {
        RunState state = action.state();
        // A lost worker needs attention; the end of a rest or a wait does not.
        boolean vanished = state != null && VANISHED.contains(state);
        LoggingEventBuilder line = line(vanished ? Level.WARN : Level.INFO, action.key());
        with(line, "run", action.run(), "state", state, "why", action.why()).log("settled by the janitor");
    }

    private static void ended(Run run) {
        boolean outOfTime = run.state() == RunState.TIMED_OUT;
        Turn turn = run.status().turn();
        Duration held = turn == null
                ? null
                : Duration.between(turn.startedAt(), run.status().since());
        Duration limit = outOfTime ? run.spec().limits().maxRuntime() : null;
        with(of(outOfTime ? Level.WARN : Level.INFO, run), "held", held, "limit", limit)
                .log("attempt ended");
    }

    private static LoggingEventBuilder of(Level level, Run run) {
        LoggingEventBuilder line =
                with(line(level, run.key()), "run", run.id(), "job", run.job(), "state", run.state());
        Turn turn = run.status().turn();
        if (turn != null) {
            line = with(line, "token", turn.token(), "attempt", turn.attempt());
            line = with(line, "holder", turn.holder().label());
        }
        String trace = run.spec().origin().trace();
        Matcher found = TRACE.matcher(trace == null ? "" : trace);
        RunError error = run.status().error();
        return with(
                with(line, "trace", found.lookingAt() ? found.group(1) : null),
                "error",
                error == null ? null : error.code());
    }

    /** Adds fields, each a name and a value, but none for a value of {@code null}. */
    private static LoggingEventBuilder with(LoggingEventBuilder line, @Nullable Object... fields) {
        LoggingEventBuilder more = line;
        for (int i = 0; i < fields.length; i += 2) {
            if (fields[i + 1] != null) {
                more = more.addKeyValue(String.valueOf(fields[i]), fields[i + 1]);
            }
        }
        return more;
    }

    private static LoggingEventBuilder line(Level level, LockKey key) {
        return log.atLevel(level).addKeyValue("tenant", key.tenant()).addKeyValue("key", key.name());
    }
}
