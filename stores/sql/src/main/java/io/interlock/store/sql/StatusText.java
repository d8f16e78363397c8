package io.interlock.store.sql;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.Progress;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus;
import io.interlock.run.Stage;
import io.interlock.run.StopRequest;
import io.interlock.run.Turn;
import io.interlock.run.Waiter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Where a run stands, and how an attempt ended, as {@link FieldText}. State and moment have columns of their own. */
final class StatusText {

    private StatusText() {}

    static String write(RunStatus status) {
        FieldText text = new FieldText()
                .put("attempts", status.attempts(), 0)
                .put("not-before", FieldText.written(status.notBefore()));
        Waiter waiter = status.waiter();
        if (waiter != null) {
            text.put("waiter.seen-at", FieldText.written(waiter.seenAt()))
                    .put("waiter.missed-offer", waiter.missedOffer());
        }
        put(text, status.turn());
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

    static RunStatus read(String written, RunState state, Instant since) {
        FieldText text = FieldText.parse(written);
        RunStatus status = new RunStatus(
                state,
                since,
                orElse(text.take("attempts", Integer::valueOf), 0),
                text.take("not-before", FieldText::moment),
                waiter(text),
                turn(text),
                stages(text.takeAll("stage.name"), text.takeAll("stage.since")),
                new Progress(
                        orElse(text.take("progress.done", Long::valueOf), 0L),
                        text.take("progress.total", Long::valueOf)),
                stop(text),
                text.take("result"),
                error(text));
        text.end();
        return status;
    }

    /** How an attempt went, beside its times. */
    static String write(Attempt attempt) {
        FieldText facts = new FieldText();
        put(facts, attempt.turn());
        put(facts, attempt.error());
        return facts.toString();
    }

    static Attempt readAttempt(RunId run, String written, Instant endedAt, RunState next) {
        FieldText facts = FieldText.parse(written);
        Attempt attempt =
                new Attempt(run, Objects.requireNonNull(turn(facts), "lacks its turn"), endedAt, next, error(facts));
        facts.end();
        return attempt;
    }

    private static void put(FieldText text, @Nullable Turn turn) {
        if (turn != null) {
            text.put("turn.attempt", turn.attempt())
                    .put("turn.lease", turn.lease())
                    .put("turn.token", turn.token())
                    .put("turn.instance", turn.holder().instance())
                    .put("turn.label", turn.holder().label())
                    .put("turn.run", turn.holder().run())
                    .put("turn.started-at", FieldText.written(turn.startedAt()));
        }
    }

    private static @Nullable Turn turn(FieldText text) {
        Integer attempt = text.take("turn.attempt", Integer::valueOf);
        return attempt == null
                ? null
                : new Turn(
                        attempt,
                        text.need("turn.lease", LeaseId::parse),
                        new FencingToken(text.need("turn.token", Long::valueOf)),
                        new Holder(
                                text.need("turn.instance"),
                                text.need("turn.label"),
                                text.take("turn.run", RunId::parse)),
                        text.need("turn.started-at", FieldText::moment));
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

    private static List<Stage> stages(List<String> names, List<String> since) {
        if (names.size() != since.size()) {
            throw new IllegalArgumentException("has stages without a name or a time");
        }
        List<Stage> stages = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            stages.add(new Stage(names.get(i), FieldText.moment(since.get(i))));
        }
        return stages;
    }

    static <T> T orElse(@Nullable T value, T assumed) {
        return value == null ? assumed : value;
    }
}
