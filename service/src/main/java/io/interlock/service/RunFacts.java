package io.interlock.service;

import io.interlock.LeaseRecord;
import io.interlock.run.Attempt;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.DeadLetter;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunStatus.Stage;
import io.interlock.run.Wait;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The JSON of a run. The lease id is a secret of its holder and is only in {@link #granted}. */
public final class RunFacts {

    private RunFacts() {}

    /** A run with its own explanation. */
    public static Facts of(Run run) {
        return of(run, run.explanation());
    }

    /** A run with an explanation that knows more than the run itself. */
    public static Facts of(Run run, String explanation) {
        RunStatus status = run.status();
        Turn turn = status.turn();
        boolean ended = run.state().isTerminal();
        String reason = run.spec().origin().reason();
        return Facts.with("id", run.id())
                .and("key", run.key().name())
                .and("job", run.job())
                .and("state", run.state())
                .orNull("stage", stage(run))
                .orNull("progress", progress(status.progress()))
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
                .and("labels", new TreeMap<>(run.spec().labels()))
                .and("reason", reason == null ? "" : reason)
                .and("explanation", explanation);
    }

    /** A queued run with its place and the run it waits for. */
    public static Facts waiting(Run run, Wait wait) {
        return of(run, wait.sentence())
                .and("position", wait.position())
                .and(
                        "waitingFor",
                        wait.holder(),
                        holder -> LockFacts.holder(holder).and("alive", wait.alive()))
                .and("expectedWait", wait.expectedWait().orElse(null));
    }

    /** Adds the lease that the holder of a run works under. */
    public static Facts granted(Facts json, LeaseRecord lease, Run run) {
        return json.and("token", lease.token().value())
                .and("leaseId", lease.id())
                .and("expiresAt", lease.expiresAt())
                .and("heartbeatEvery", heartbeatEvery(run));
    }

    /** Adds when the last heartbeat came and when the lease ends. */
    public static Facts beating(Facts json, LeaseRecord lease, Run run) {
        return json.and("heartbeatAt", renewedAt(lease, run))
                .and("heartbeatEvery", heartbeatEvery(run))
                .and("expiresAt", lease.expiresAt());
    }

    /** When {@code run} last renewed its lease. */
    static Instant renewedAt(LeaseRecord lease, Run run) {
        // A heartbeat renews by the whole ttl, so the end of the lease gives the time of the last one.
        Instant renewed = lease.expiresAt().minus(run.spec().terms().ttl());
        return renewed.isBefore(lease.grantedAt()) ? lease.grantedAt() : renewed;
    }

    static Duration heartbeatEvery(Run run) {
        return run.spec().terms().ttl().dividedBy(3);
    }

    /** Adds how a dead letter was settled. */
    public static Facts settled(Facts json, DeadLetter.Disposition done) {
        return json.and(
                "settled",
                Facts.with("kind", done.kind().name().toLowerCase(Locale.ROOT))
                        .and("actor", done.actor())
                        .and("reason", done.reason())
                        .and("at", done.at())
                        .and("newRun", done.successor()));
    }

    /**
     * Adds what only the view of a single run has.
     *
     * @param ended its attempts that have ended
     * @param outputs what its attempts wrote, by number; the last one is also that of the run
     * @param foreign what stands for JSON that clients wrote
     */
    public static Facts detailed(
            Facts json,
            Run run,
            List<Attempt> ended,
            SortedMap<Integer, String> outputs,
            Function<String, Object> foreign) {
        RunStatus status = run.status();
        List<Facts> attempts = new ArrayList<>();
        ended.forEach(attempt -> attempts.add(turn(attempt.turn())
                .and("endedAt", attempt.endedAt())
                .and("next", attempt.next())
                .and("error", attempt.error(), RunFacts::error)
                .and("output", outputs.get(attempt.turn().attempt()))));
        boolean underWay = !run.state().isTerminal() && status.attempts() > ended.size();
        status.lastTurn()
                .filter(turn -> underWay)
                .ifPresent(turn -> attempts.add(turn(turn).and("output", outputs.get(turn.attempt()))));
        json.and("attempts", attempts)
                .and(
                        "stages",
                        status.stages().stream()
                                .map(stage -> Facts.with("name", stage.name()).and("since", stage.since()))
                                .toList())
                .and("execution", run.spec().execution().name().toLowerCase(Locale.ROOT))
                .and("onConflict", run.spec().policy())
                .and("submittedBy", run.spec().origin().submitter())
                .and("parameters", foreign.apply(run.spec().parameters()));
        if (status.result() != null) {
            // A result of null is one.
            json.orNull("result", foreign.apply(status.result()));
        }
        return json.and("traceparent", run.spec().origin().trace())
                .and("output", outputs.isEmpty() ? null : outputs.get(outputs.lastKey()));
    }

    /** How far the work is; {@code null} if it has not said so. */
    public static @Nullable Facts progress(Progress progress) {
        return progress.equals(Progress.NONE)
                ? null
                : Facts.with("done", progress.done()).orNull("total", progress.total());
    }

    static @Nullable String stage(Run run) {
        return run.status().currentStage().map(Stage::name).orElse(null);
    }

    private static Facts turn(Turn turn) {
        return Facts.with("attempt", turn.attempt())
                .and("holder", turn.holder().label())
                .and("token", turn.token().value())
                .and("startedAt", turn.startedAt());
    }

    /** Why a run or an attempt did not succeed. */
    public static Facts error(RunError error) {
        return Facts.with("code", error.code()).and("message", error.message());
    }
}
