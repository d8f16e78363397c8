package io.interlock.store.sqlite;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.RunId;
import io.interlock.RunState;
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
import org.jspecify.annotations.Nullable;

/** Where a run stands, and how an attempt ended, as {@link FieldText}. State and moment have columns of their own. */
final class StatusText {

    private StatusText() {}

    static String write(RunStatus status) {
        FieldText text = new FieldText().put("attempts", status.attempts()).put("not-before", status.notBefore());
        Waiter waiter = status.waiter();
        if (waiter != null) {
            text.put("waiter.seen-at", waiter.seenAt()).put("waiter.missed-offer", waiter.missedOffer());
        }
        put(text, status.turn());
        status.stages().forEach(stage -> text.put("stage.name", stage.name()).put("stage.since", stage.since()));
        text.put("progress.done", status.progress().done())
                .put("progress.total", status.progress().total());
        StopRequest stop = status.stop();
        if (stop != null) {
            text.put("stop.code", stop.code())
                    .put("stop.actor", stop.actor())
                    .put("stop.reason", stop.reason())
                    .put("stop.at", stop.at());
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
                text.need("attempts", Integer::valueOf),
                text.take("not-before", Instant::parse),
                waiter(text),
                turn(text),
                stages(text.takeAll("stage.name"), text.takeAll("stage.since")),
                new Progress(text.need("progress.done", Long::valueOf), text.take("progress.total", Long::valueOf)),
                stop(text),
                text.take("result"),
                error(text));
        text.end();
        return status;
    }

    static void put(FieldText text, @Nullable Turn turn) {
        if (turn != null) {
            text.put("turn.attempt", turn.attempt())
                    .put("turn.lease", turn.lease())
                    .put("turn.token", turn.token())
                    .put("turn.instance", turn.holder().instance())
                    .put("turn.label", turn.holder().label())
                    .put("turn.run", turn.holder().run())
                    .put("turn.started-at", turn.startedAt());
        }
    }

    static @Nullable Turn turn(FieldText text) {
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
                        text.need("turn.started-at", Instant::parse));
    }

    static void put(FieldText text, @Nullable RunError error) {
        if (error != null) {
            text.put("error.code", error.code()).put("error.message", error.message());
        }
    }

    static @Nullable RunError error(FieldText text) {
        String code = text.take("error.code");
        return code == null ? null : new RunError(code, text.need("error.message"));
    }

    private static @Nullable Waiter waiter(FieldText text) {
        Instant seenAt = text.take("waiter.seen-at", Instant::parse);
        return seenAt == null ? null : new Waiter(seenAt, text.need("waiter.missed-offer", Boolean::valueOf));
    }

    private static @Nullable StopRequest stop(FieldText text) {
        String code = text.take("stop.code");
        return code == null
                ? null
                : new StopRequest(
                        code, text.need("stop.actor"), text.need("stop.reason"), text.need("stop.at", Instant::parse));
    }

    private static List<Stage> stages(List<String> names, List<String> since) {
        if (names.size() != since.size()) {
            throw new IllegalArgumentException("has stages without a name or a time");
        }
        List<Stage> stages = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            stages.add(new Stage(names.get(i), Instant.parse(since.get(i))));
        }
        return stages;
    }
}
