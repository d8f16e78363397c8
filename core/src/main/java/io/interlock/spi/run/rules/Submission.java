package io.interlock.spi.run.rules;

import io.interlock.ConflictPolicy;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Execution;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus;
import io.interlock.run.StopRequest;
import io.interlock.run.Waiter;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Starts, joins, queues or refuses. A refusal changes nothing. */
public final class Submission {

    private final Room room;
    private final SubmitRequest request;
    private final Run newcomer;

    private Submission(Room room, SubmitRequest request) {
        this.room = room;
        this.request = request;
        Waiter waiter = request.caller() == null ? null : new Waiter(room.now(), false);
        newcomer = new Run(
                request.id(),
                request.key(),
                room.facts().nextNumber(),
                room.now(),
                request.spec(),
                request.line(),
                RunStatus.queued(room.now(), waiter));
    }

    /** Decides about a newcomer in a settled room. */
    public static SubmitAnswer submit(Room room, SubmitRequest request) {
        return new Submission(room, request).decide();
    }

    /** The answer to a request made again with the id of a run that exists. */
    public static SubmitAnswer repeated(Room room, SubmitRequest request, Run known) {
        Run run = room.latest(known);
        if (run.state() == RunState.QUEUED) {
            return new SubmitAnswer.Queued(run, Line.position(room, run));
        }
        if (run.state() == RunState.PENDING) {
            return new SubmitAnswer.Started(run, null);
        }
        SubmitRequest.Caller caller = request.caller();
        boolean mine = caller != null
                && run.state() == RunState.RUNNING
                && room.hasLease(run)
                && room.lease().orElseThrow().id().equals(caller.lease())
                && room.lease().orElseThrow().isLive(room.now());
        return mine ? new SubmitAnswer.Started(run, room.leaseRecord()) : new SubmitAnswer.Duplicate(run);
    }

    /** The answer to a request under an idempotency key that counts already, for {@code known}. */
    public static SubmitAnswer remembered(Room room, SubmitRequest.Idempotency asked, String fingerprint, Run known) {
        Run run = room.latest(known);
        return fingerprint.equals(asked.fingerprint())
                ? new SubmitAnswer.Duplicate(run)
                : new SubmitAnswer.Mismatch(run);
    }

    private SubmitAnswer decide() {
        Refusal obstacle = obstacle();
        Optional<Run> incumbent = incumbent();
        RunRefusal.WrongState wrong = Line.wrongState(room, newcomer);
        Admission.Situation situation = new Admission.Situation(obstacle == null, incumbent.isPresent(), wrong == null);
        return switch (Admission.of(request.spec().policy(), situation)) {
            case START -> start();
            case JOIN -> new SubmitAnswer.Joined(incumbent.orElseThrow());
            case QUEUE -> queue(0);
            case QUEUE_INSTEAD -> supersede(false);
            case REPLACE -> supersede(true);
            case REFUSE -> new SubmitAnswer.Refused(Objects.requireNonNull(obstacle));
            case REFUSE_STATE -> new SubmitAnswer.Refused(Objects.requireNonNull(wrong));
        };
    }

    /** What keeps the newcomer from starting at once, or {@code null}. */
    private @Nullable Refusal obstacle() {
        Refusal ahead = Line.ahead(room);
        if (ahead != null) {
            return ahead;
        }
        Optional<Run> owner = Line.owner(room);
        if (owner.isPresent()) {
            return Line.queuedAhead(room, owner.get());
        }
        int limit = request.line().tenantMaxRunning();
        return room.tenantBusy() < limit ? joinable() : new RunRefusal.TenantBusy(room.key(), room.tenantBusy(), limit);
    }

    /** A run that rests between two attempts is in nobody's way, but whoever joins joins it. */
    private @Nullable Refusal joinable() {
        return request.spec().policy() == ConflictPolicy.JOIN
                ? incumbent().map(run -> Line.queuedAhead(room, run)).orElse(null)
                : null;
    }

    /** Whose run a newcomer would join: the holder's, else that for which the key is kept, else the first in line. */
    private Optional<Run> incumbent() {
        return room.running()
                .filter(room::hasLease)
                .or(() -> room.reservation().flatMap(kept -> room.run(kept.run())))
                .or(() -> Line.waiting(room).stream().findFirst());
    }

    private SubmitAnswer start() {
        Run run = room.add(newcomer);
        SubmitRequest.Caller caller = request.caller();
        if (caller != null && request.spec().execution() == Execution.CALLER) {
            Run started = Promotion.start(room, run, caller);
            return new SubmitAnswer.Started(started, room.leaseRecord());
        }
        return new SubmitAnswer.Started(Promotion.reserve(room, run), null);
    }

    private SubmitAnswer queue(int leaving) {
        int waiting = Line.waiting(room).size() - leaving;
        if (waiting >= request.line().queueCap()) {
            return new SubmitAnswer.Refused(
                    new RunRefusal.QueueFull(room.key(), waiting, request.line().queueCap()));
        }
        Run run = room.add(newcomer);
        return new SubmitAnswer.Queued(run, Line.position(room, run));
    }

    private SubmitAnswer supersede(boolean stopsIncumbent) {
        var leaving = Line.waiting(room).stream()
                .filter(run -> run.job().equals(newcomer.job()))
                .toList();
        SubmitAnswer answer = queue(leaving.size());
        if (answer instanceof SubmitAnswer.Refused) {
            return answer;
        }
        leaving.forEach(this::superseded);
        if (stopsIncumbent) {
            stopIncumbent();
        }
        // The key may have been kept for one of those that left; then the newcomer may have its turn now.
        return startIfNext();
    }

    private SubmitAnswer startIfNext() {
        Run run = room.run(newcomer.id()).orElseThrow();
        SubmitRequest.Caller caller = request.caller();
        Optional<Run> next = Promotion.next(room);
        if (caller != null && next.map(Run::id).equals(Optional.of(run.id()))) {
            return new SubmitAnswer.Started(Promotion.start(room, run, caller), room.leaseRecord());
        }
        Promotion.promote(room);
        Run now = room.latest(run);
        return now.state() == RunState.PENDING
                ? new SubmitAnswer.Started(now, null)
                : new SubmitAnswer.Queued(now, Line.position(room, now));
    }

    private void stopIncumbent() {
        room.reservation()
                .flatMap(kept -> room.run(kept.run()))
                .filter(run -> run.state() == RunState.PENDING)
                .ifPresent(this::superseded);
        room.running().ifPresent(run -> {
            StopRequest stop = new StopRequest(
                    RunError.SUPERSEDED,
                    newcomer.spec().origin().submitter(),
                    "replaced by run " + newcomer.id(),
                    room.now());
            Stopping.request(room, run, stop);
        });
    }

    private void superseded(Run run) {
        RunError error = new RunError(RunError.SUPERSEDED, "run " + newcomer.id() + " took its place");
        Verdict.abort(room, run, error, new Why(newcomer.spec().origin().submitter(), error.message()));
    }
}
