package io.interlock.store.sqlite;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.BeatAnswer;
import io.interlock.run.CancelAnswer;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.FinishAnswer;
import io.interlock.run.RedriveAnswer;
import io.interlock.run.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.TurnAnswer;
import io.interlock.run.Wait;
import io.interlock.spi.run.BeatRequest;
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.DiscardRequest;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.RedriveRequest;
import io.interlock.spi.run.ResourceRequest;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;
import io.interlock.spi.run.rules.BareLeases;
import io.interlock.spi.run.rules.Explaining;
import io.interlock.spi.run.rules.Finishing;
import io.interlock.spi.run.rules.Redriving;
import io.interlock.spi.run.rules.Resources;
import io.interlock.spi.run.rules.Room;
import io.interlock.spi.run.rules.Stopping;
import io.interlock.spi.run.rules.Submission;
import io.interlock.spi.run.rules.Working;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The verbs about one run or one key, within one {@link Step}. */
final class RunSteps {

    private final Step step;
    private final Rooms rooms;
    private final RunTable runs;
    private final IdempotencyTable names;
    private final LetterTable letters;

    RunSteps(Step step) {
        this.step = step;
        rooms = new Rooms(step);
        runs = new RunTable(step.session());
        names = new IdempotencyTable(step.session());
        letters = new LetterTable(step.session());
    }

    SubmitAnswer submit(SubmitRequest request) throws SQLException {
        return rooms.step(request.key(), room -> {
            Run known = runs.find(request.id());
            return known == null ? submit(room, request) : Submission.repeated(room, request, known);
        });
    }

    private SubmitAnswer submit(Room room, SubmitRequest request) throws SQLException {
        SubmitRequest.Idempotency asked = request.idempotency();
        if (asked == null) {
            return Submission.submit(room, request);
        }
        String tenant = request.key().tenant();
        IdempotencyTable.Remembered before = names.find(tenant, asked, step.now());
        Run known = before == null ? null : runs.find(before.run());
        if (before != null && known != null) {
            return Submission.remembered(room, asked, before.fingerprint(), known);
        }
        SubmitAnswer answer = Submission.submit(room, request);
        Optional<RunId> resulting = resulting(answer);
        if (resulting.isPresent() && step.mayWrite()) {
            names.put(tenant, asked, resulting.get(), step.now());
        }
        return answer;
    }

    TurnAnswer takeTurn(TurnRequest request) throws SQLException {
        return rooms.step(request.key(), room -> Working.takeTurn(room, request, runs.find(request.run())));
    }

    BeatAnswer beat(BeatRequest request) throws SQLException {
        return rooms.step(request.key(), room -> Working.beat(room, request));
    }

    FinishAnswer finish(FinishRequest request) throws SQLException {
        return rooms.step(request.key(), room -> Finishing.finish(room, request, runs.find(request.run())));
    }

    CancelAnswer cancel(CancelRequest request) throws SQLException {
        Run run = runs.find(request.run());
        return run == null
                ? new CancelAnswer.Unknown()
                : rooms.step(run.key(), room -> Stopping.cancel(room, request, run));
    }

    RedriveAnswer redrive(RedriveRequest request) throws SQLException {
        Run dead = runs.find(request.dead());
        return dead == null
                ? new RedriveAnswer.Unknown()
                : rooms.step(
                        dead.key(),
                        room -> Redriving.redrive(room, request, dead, letters.find(dead), runs.find(request.anew())));
    }

    DiscardAnswer discard(DiscardRequest request) throws SQLException {
        Run dead = runs.find(request.dead());
        return dead == null
                ? new DiscardAnswer.Unknown()
                : rooms.step(dead.key(), room -> Redriving.discard(room, request, dead, letters.find(dead)));
    }

    ResourceAnswer setResource(ResourceRequest request) throws SQLException {
        return rooms.step(request.key(), room -> Resources.set(room, request));
    }

    List<Run> queue(LockKey key) throws SQLException {
        return rooms.know(key) ? rooms.step(key, BareLeases::queue) : List.of();
    }

    Optional<Wait> explain(RunId id) throws SQLException {
        Run run = runs.find(id);
        return run == null
                ? Optional.empty()
                : rooms.step(run.key(), room -> Explaining.explain(room, id, runs.pastRuntimes(run.key())));
    }

    private static Optional<RunId> resulting(SubmitAnswer answer) {
        if (answer instanceof SubmitAnswer.Started started) {
            return Optional.of(started.run().id());
        }
        if (answer instanceof SubmitAnswer.Queued queued) {
            return Optional.of(queued.run().id());
        }
        return answer instanceof SubmitAnswer.Joined joined
                ? Optional.of(joined.run().id())
                : Optional.empty();
    }
}
