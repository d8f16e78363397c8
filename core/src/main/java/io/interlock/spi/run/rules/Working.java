package io.interlock.spi.run.rules;

import io.interlock.Holder;
import io.interlock.LossCause;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.BeatAnswer;
import io.interlock.run.Claimed;
import io.interlock.run.Execution;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.Stage;
import io.interlock.run.TurnAnswer;
import io.interlock.run.Waiter;
import io.interlock.spi.run.BeatRequest;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Beginning work, and going on with it. */
public final class Working {

    private Working() {}

    /** Takes the run the key is kept for, if the worker can do it. */
    public static Optional<Claimed> claim(Room room, ClaimRequest request) {
        Optional<Run> kept = room.reservation()
                .flatMap(reservation -> room.run(reservation.run()))
                .filter(run -> run.state() == RunState.PENDING && request.jobs().contains(run.job()));
        if (kept.isEmpty() || Line.holdsBack(room)) {
            return Optional.empty();
        }
        Run run = kept.get();
        RunRefusal.WrongState wrong = Line.wrongState(room, run);
        if (wrong != null) {
            Verdict.fail(room, run, new RunError(RunError.WRONG_STATE, wrong.explanation()));
            Promotion.promote(room);
            return claim(room, request);
        }
        return claimed(room, Promotion.start(room, run, caller(request, run)));
    }

    /** What an earlier claim of the same name by the same worker has taken here, if its lease still lives. */
    public static Optional<Claimed> claimedBefore(Room room, ClaimRequest request) {
        return room.running()
                .filter(run -> request.wants(run.key().tenant()))
                .filter(run -> room.hasLease(run) && isOf(room.lease().orElseThrow(), request, run))
                .filter(run -> room.lease().orElseThrow().isLive(room.now()))
                .flatMap(run -> claimed(room, run));
    }

    private static boolean isOf(LeaseRow lease, ClaimRequest request, Run run) {
        return lease.id().equals(request.leaseOf(run.id()))
                && lease.holder().instance().equals(request.holder().instance());
    }

    /** Gives a waiting caller its turn, if it is. */
    public static TurnAnswer takeTurn(Room room, TurnRequest request, @Nullable Run known) {
        Run run = room.run(request.run()).orElse(null);
        if (run == null || run.spec().execution() != Execution.CALLER) {
            return new TurnAnswer.Over(known == null ? run : room.latest(known));
        }
        if (run.state() == RunState.RUNNING) {
            boolean mine = room.hasLease(run)
                    && room.lease().orElseThrow().id().equals(request.caller().lease())
                    && room.lease().orElseThrow().isLive(room.now());
            return mine
                    ? new TurnAnswer.Granted(run, Objects.requireNonNull(room.leaseRecord()))
                    : new TurnAnswer.Over(run);
        }
        Run seen = room.put(run.with(run.status().waiting(new Waiter(room.now(), false))));
        Promotion.promote(room);
        Run judged = room.latest(seen);
        if (judged.state().isTerminal()) {
            // Its turn came, and it may not start from where the resource stands.
            return new TurnAnswer.Over(judged);
        }
        boolean offered =
                room.reservation().map(kept -> kept.run().equals(run.id())).orElse(false);
        if (offered && !Line.holdsBack(room) && room.tenantBusy() < run.line().tenantMaxRunning()) {
            RunRefusal.WrongState wrong = Line.wrongState(room, seen);
            if (wrong != null) {
                // The resource was set since the key was offered.
                Run failed = Verdict.fail(room, seen, new RunError(RunError.WRONG_STATE, wrong.explanation()));
                Promotion.promote(room);
                return new TurnAnswer.Over(failed);
            }
            room.setReservation(null);
            Run started = Promotion.start(room, seen, request.caller());
            return new TurnAnswer.Granted(started, Objects.requireNonNull(room.leaseRecord()));
        }
        return new TurnAnswer.Waiting(seen, Line.position(room, seen), Line.inTheWayOf(room, seen));
    }

    /** Renews the lease of a run by its ttl, and keeps what it reports. */
    public static BeatAnswer beat(Room room, BeatRequest request) {
        LeaseRow lease = room.lease().orElse(null);
        if (lease == null || !lease.isProvedBy(request.lease(), request.token())) {
            return new BeatAnswer.Lost(LossCause.GONE, room.leaseRecord());
        }
        Run run = room.running().filter(room::hasLease).orElse(null);
        if (run == null || !run.id().equals(request.run()) || !lease.isLive(room.now())) {
            return new BeatAnswer.Lost(Finishing.cause(lease), room.leaseRecord());
        }
        if (isOverdue(room)) {
            return new BeatAnswer.Lost(LossCause.OVERDUE, room.leaseRecord());
        }
        room.setLease(lease.extendedTo(room.now().plus(run.spec().terms().ttl())));
        Stage stage = request.stage() == null ? null : new Stage(request.stage(), room.now());
        Run told = room.put(run.with(run.status().reporting(stage, request.progress())));
        return new BeatAnswer.Beating(
                Objects.requireNonNull(room.leaseRecord()), told.status().stop());
    }

    /** Whether the key's lease is a run's that has had its max runtime, and must not be renewed by anybody. */
    public static boolean isOverdue(Room room) {
        Instant deadline =
                room.running().filter(room::hasLease).map(Verdict::deadline).orElse(null);
        return deadline != null && !deadline.isAfter(room.now());
    }

    private static SubmitRequest.Caller caller(ClaimRequest request, Run run) {
        Holder holder = request.holder().forRun(run.id());
        return new SubmitRequest.Caller(request.leaseOf(run.id()), holder);
    }

    private static Optional<Claimed> claimed(Room room, Run run) {
        return Optional.of(new Claimed(run, Objects.requireNonNull(room.leaseRecord())));
    }
}
