package io.interlock.store.sql;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunStatus.Stage;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.run.RunStatus.Waiter;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a run stands, and how an attempt ended, as {@link FieldText}. State and moment have columns of their own. It is short,
 * because it is written several times for each run: what is usual is left out, and most of an attempt stands on one line.
 */
final class StatusText {

    private static final String NO_RUN = "-";

    private StatusText() {}

    /** Where the run called {@code id} stands. */
    static String write(RunId id, RunStatus status) {
        FieldText text = new FieldText()
                .put("attempts", status.attempts(), begun(status.turn()))
                .put("not-before", FieldText.written(status.notBefore()));
        Waiter waiter = status.waiter();
        if (waiter != null) {
            text.put("waiter.seen-at", FieldText.written(waiter.seenAt()))
                    .put("waiter.missed-offer", waiter.missedOffer());
        }
        put(text, id, status.turn());
        status.stages()
                .forEach(stage ->
                        text.put("stage.name", stage.name()).put("stage.since", FieldText.written(stage.since())));
        text.put("progress.done", status.progress().done(), 0L)
                .put("progress.total", status.progress().total());
        StopRequest stop = status.stop();
        if (stop != null) {
            text.put("stop.code", stop.code())
                    .put("stop.actor", stop.actor())
                    .put("stop.reason", stop.reason())
                    .put("stop.at", FieldText.written(stop.at()));
        }
        text.put("result", status.result());
        put(text, status.error());
        return text.toString();
    }

    /** Where the run called {@code id} stood. */
    static RunStatus read(RunId id, String written, RunState state, Instant since) {
        FieldText text = FieldText.parse(written);
        Turn turn = turn(text, id);
        RunStatus status = new RunStatus(
                state,
                since,
                text.take("attempts", Integer::valueOf, begun(turn)),
                text.take("not-before", FieldText::moment),
                waiter(text),
                turn,
                text.takePairs("stage.name", "stage.since", (name, at) -> new Stage(name, FieldText.moment(at))),
                new Progress(text.take("progress.done", Long::valueOf, 0L), text.take("progress.total", Long::valueOf)),
                stop(text),
                text.take("result"),
                error(text));
        text.end();
        return status;
    }

    private static int begun(@Nullable Turn turn) {
        return turn == null ? 0 : turn.attempt();
    }

    /** How an attempt went, beside its times. */
    static String write(Attempt attempt) {
        FieldText facts = new FieldText();
        put(facts, attempt.run(), attempt.turn());
        put(facts, attempt.error());
        return facts.toString();
    }

    static Attempt readAttempt(RunId run, String written, Instant endedAt, RunState next) {
        FieldText facts = FieldText.parse(written);
        Attempt attempt = new Attempt(
                run, Objects.requireNonNull(turn(facts, run), "lacks its turn"), endedAt, next, error(facts));
        facts.end();
        return attempt;
    }

    private static void put(FieldText text, RunId id, @Nullable Turn turn) {
        if (turn != null) {
            Holder holder = turn.holder();
            text.put(
                            "turn",
                            turn.attempt() + " " + turn.lease() + " " + turn.token() + " "
                                    + FieldText.written(turn.startedAt()))
                    .put("instance", holder.instance())
                    .put("label", holder.label(), holder.instance())
                    .put("run", holder.run() == null ? NO_RUN : holder.run(), id);
        }
    }

    private static @Nullable Turn turn(FieldText text, RunId id) {
        String turn = text.take("turn");
        if (turn == null) {
            return null;
        }
        String[] facts = turn.split(" ", -1);
        if (facts.length != 4) {
            throw new IllegalArgumentException("has a turn without four facts: " + turn);
        }
        String instance = text.need("instance");
        String run = text.take("run");
        return new Turn(
                Integer.parseInt(facts[0]),
                LeaseId.parse(facts[1]),
                new FencingToken(Long.parseLong(facts[2])),
                new Holder(
                        instance,
                        text.take("label", String::valueOf, instance),
                        run == null ? id : run.equals(NO_RUN) ? null : RunId.parse(run)),
                FieldText.moment(facts[3]));
    }

    private static void put(FieldText text, @Nullable RunError error) {
        if (error != null) {
            text.put("error.code", error.code()).put("error.message", error.message());
        }
    }

    private static @Nullable RunError error(FieldText text) {
        String code = text.take("error.code");
        return code == null ? null : new RunError(code, text.need("error.message"));
    }

    private static @Nullable Waiter waiter(FieldText text) {
        Instant seenAt = text.take("waiter.seen-at", FieldText::moment);
        return seenAt == null ? null : new Waiter(seenAt, text.need("waiter.missed-offer", Boolean::valueOf));
    }

    private static @Nullable StopRequest stop(FieldText text) {
        String code = text.take("stop.code");
        return code == null
                ? null
                : new StopRequest(
                        code,
                        text.need("stop.actor"),
                        text.need("stop.reason"),
                        text.need("stop.at", FieldText::moment));
    }
}
