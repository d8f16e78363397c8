package io.interlock.cli.backend;

import io.interlock.cli.text.Facts;
import io.interlock.run.Attempt;
import io.interlock.run.Progress;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus;
import io.interlock.run.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A run as facts, under the names and in the order of REST. */
final class RunFacts {

    private RunFacts() {}

    static Facts of(Run run) {
        return of(run, run.explanation());
    }

    static Facts of(Run run, String explanation) {
        RunStatus status = run.status();
        Turn turn = status.turn();
        boolean ended = run.state().isTerminal();
        return Facts.with("id", run.id())
                .and("key", run.key().name())
                .and("job", run.job())
                .and("state", run.state())
                .and("stage", LockFacts.stage(run))
                .and("progress", status.progress().equals(Progress.NONE) ? null : LockFacts.progress(status.progress()))
                .and("attempt", status.attempts())
                .and("maxAttempts", run.spec().retry().attempts())
                .and("priority", run.spec().priority())
                .and("token", turn, held -> held.token().value())
                .and("holder", turn, held -> held.holder().label())
                .and("submittedAt", run.submittedAt())
                .and("startedAt", turn, Turn::startedAt)
                .and("endedAt", ended ? status.since() : null)
                .and("outcome", ended ? run.state() : null)
                .and("error", status.error(), RunFacts::error)
                .and("labels", labels(run.spec().labels()))
                .and("reason", Objects.requireNonNullElse(run.spec().origin().reason(), ""))
                .and("explanation", explanation)
                .done();
    }

    /** With what only whoever looks at one run is shown. */
    static Facts detailed(Facts run, Run known, List<Attempt> attempts, @Nullable String output) {
        List<Facts> all =
                new ArrayList<>(attempts.stream().map(RunFacts::attempt).toList());
        boolean underWay = !known.state().isTerminal() && known.status().attempts() > attempts.size();
        known.status()
                .lastTurn()
                .filter(turn -> underWay)
                .ifPresent(turn -> all.add(turn(turn).done()));
        return run.and("attempts", all)
                .and(
                        "stages",
                        known.status().stages().stream()
                                .map(stage -> Facts.with("name", stage.name())
                                        .and("since", stage.since())
                                        .done())
                                .toList())
                .and("execution", known.spec().execution().name().toLowerCase(Locale.ROOT))
                .and("onConflict", known.spec().policy())
                .and("submittedBy", known.spec().origin().submitter())
                .and("parameters", JsonReader.raw(known.spec().parameters()))
                .and(
                        "result",
                        known.status().result() == null
                                ? null
                                : JsonReader.raw(known.status().result()))
                .and("output", output);
    }

    private static Facts attempt(Attempt attempt) {
        return turn(attempt.turn())
                .and("endedAt", attempt.endedAt())
                .and("next", attempt.next())
                .and("error", attempt.error(), RunFacts::error)
                .done();
    }

    private static Facts.Builder turn(Turn turn) {
        return Facts.with("attempt", turn.attempt())
                .and("holder", turn.holder().label())
                .and("token", turn.token().value())
                .and("startedAt", turn.startedAt());
    }

    private static Facts error(RunError error) {
        return Facts.with("code", error.code()).and("message", error.message()).done();
    }

    private static Facts labels(Map<String, String> labels) {
        return new Facts(new TreeMap<>(labels));
    }
}
