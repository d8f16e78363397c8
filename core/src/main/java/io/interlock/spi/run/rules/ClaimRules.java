package io.interlock.spi.run.rules;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LossCause;
import io.interlock.RunId;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Claimed;
import io.interlock.run.Execution;
import io.interlock.run.HeartbeatAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.Stage;
import io.interlock.run.TurnAnswer;
import io.interlock.run.Waiter;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.HeartbeatRequest;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;
import java.time.Instant;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Starts attempts and renews their leases. */
public final class ClaimRules {

    private ClaimRules() {}

    /** Claims the run that has the reservation, if the worker can execute it. */
    public static Optional<Claimed> claim(KeyState state, ClaimRequest request) {
        Optional<Run> kept = state.reservation()
                .flatMap(reservation -> state.run(reservation.run()))
                .filter(run -> run.state() == RunState.PENDING && request.jobs().contains(run.job()));
        if (kept.isEmpty() || QueueRules.holdsBack(state)) {
            return Optional.empty();
        }
        Run run = kept.get();
        RunRefusal.WrongState wrong = QueueRules.wrongState(state, run);
        if (wrong != null) {
            AttemptRules.fail(state, run, new RunError(RunError.WRONG_STATE, wrong.explanation()));
            Promotion.promote(state);
            return claim(state, request);
        }
        return claimed(state, Promotion.start(state, run, caller(request, run)));
    }

    /**
     * Claims the next run of a key on which the worker has just ended {@code ended}. One of lower priority is left to
     * claims, which see the runs of other keys.
     */
    static Optional<Claimed> claimNext(KeyState state, Run ended, @Nullable ClaimRequest request) {
        if (request == null
                || !ended.state().isTerminal()
                || !request.wants(state.key().tenant())) {
            return Optional.empty();
        }
        return Promotion.next(state)
                .filter(run -> run.spec().execution() == Execution.WORKER
                        && run.spec().priority() >= ended.spec().priority()
                        && request.jobs().contains(run.job()))
                .flatMap(run -> claimed(state, Promotion.start(state, run, caller(request, run))));
    }

    /** The run that an earlier claim with the same id by the same worker has taken here, if its lease is live. */
    public static Optional<Claimed> claimedBefore(KeyState state, ClaimRequest request) {
        return state.running()
                .filter(run -> request.wants(run.key().tenant()))
                .filter(run -> state.hasLease(run) && isOf(state.lease().orElseThrow(), request, run))
                .filter(run -> state.lease().orElseThrow().isLive(state.now()))
                .flatMap(run -> claimed(state, run));
    }

    private static boolean isOf(LeaseRow lease, ClaimRequest request, Run run) {
        return lease.id().equals(request.leaseOf(run.id()))
                && lease.holder().instance().equals(request.holder().instance());
    }

    /**
     * Records that the callers of these runs are alive. A step does so for all requests of its batch before it settles
     * anything, so that no caller that has just reported counts as gone.
     */
    public static void noteAlive(KeyState state, Collection<RunId> runs) {
        for (RunId id : runs) {
            state.run(id)
                    .filter(run ->
                            run.state() == RunState.QUEUED && run.status().waiter() != null)
                    .ifPresent(run -> noteAlive(state, run));
        }
    }

    private static Run noteAlive(KeyState state, Run run) {
        return state.put(run.with(run.status().waiting(new Waiter(state.now(), false))));
    }

    /** Grants a waiting caller its turn, if it comes next. */
    public static TurnAnswer takeTurn(KeyState state, TurnRequest request, @Nullable Run known) {
        Run run = state.run(request.run()).orElse(null);
        if (run == null || run.spec().execution() != Execution.CALLER) {
            return new TurnAnswer.Over(known == null ? run : state.latest(known));
        }
        if (run.state() == RunState.RUNNING) {
            boolean mine = state.hasLease(run)
                    && state.lease().orElseThrow().id().equals(request.caller().lease())
                    && state.lease().orElseThrow().isLive(state.now());
            return mine
                    ? new TurnAnswer.Granted(run, Objects.requireNonNull(state.leaseRecord()))
                    : new TurnAnswer.Over(run);
        }
        Run seen = noteAlive(state, run);
        Promotion.promote(state);
        Run judged = state.latest(seen);
        if (judged.state().isTerminal()) {
            // Its turn came, but the state of the resource does not allow a start.
            return new TurnAnswer.Over(judged);
        }
        boolean offered =
                state.reservation().map(kept -> kept.run().equals(run.id())).orElse(false);
        if (offered && !QueueRules.holdsBack(state) && QueueRules.hasPlace(state, seen)) {
            RunRefusal.WrongState wrong = QueueRules.wrongState(state, seen);
            if (wrong != null) {
                // The state of the resource was set after the key was offered.
                Run failed = AttemptRules.fail(state, seen, new RunError(RunError.WRONG_STATE, wrong.explanation()));
                Promotion.promote(state);
                return new TurnAnswer.Over(failed);
            }
            state.setReservation(null);
            Run started = Promotion.start(state, seen, request.caller());
            return new TurnAnswer.Granted(started, Objects.requireNonNull(state.leaseRecord()));
        }
        return new TurnAnswer.Waiting(seen, state.position(seen), QueueRules.inTheWayOf(state, seen));
    }

    /** Renews the lease of a run by its ttl, and stores its report. */
    public static HeartbeatAnswer heartbeat(KeyState state, HeartbeatRequest request) {
        LeaseRow lease = state.lease().orElse(null);
        if (lease == null || !lease.isProvedBy(request.lease(), request.token())) {
            return new HeartbeatAnswer.Lost(LossCause.GONE, state.leaseRecord());
        }
        Run run = state.running().filter(state::hasLease).orElse(null);
        if (run == null || !run.id().equals(request.run()) || !lease.isLive(state.now())) {
            return new HeartbeatAnswer.Lost(FinishRules.cause(lease), state.leaseRecord());
        }
        if (isOverdue(state)) {
            AttemptRules.markOutOfTime(state, run);
            return new HeartbeatAnswer.Lost(LossCause.OVERDUE, state.leaseRecord());
        }
        state.setLease(lease.until(state.now().plus(run.spec().terms().ttl())));
        Stage stage = request.stage() == null ? null : new Stage(request.stage(), state.now());
        Run told = state.put(run.with(run.status().reporting(stage, request.progress())));
        return new HeartbeatAnswer.Beating(
                Objects.requireNonNull(state.leaseRecord()), told.status().stop());
    }

    /**
     * Whether the key's lease belongs to a run whose max runtime is over; it must not be renewed, and the run records
     * that.
     */
    public static boolean refusesRenewal(KeyState state, LeaseId id, FencingToken token) {
        boolean proved =
                state.lease().filter(lease -> lease.isProvedBy(id, token)).isPresent();
        if (!proved || !isOverdue(state)) {
            return false;
        }
        state.running().ifPresent(run -> AttemptRules.markOutOfTime(state, run));
        return true;
    }

    /** The key's lease was renewed without a report: it is {@code renewed} now, and may end earlier than before. */
    public static void renewed(KeyState state, LeaseRow renewed) {
        state.setLease(renewed);
        // Its run is due earlier, too.
        state.running().filter(state::hasLease).ifPresent(state::put);
    }

    private static boolean isOverdue(KeyState state) {
        Instant deadline = state.running()
                .filter(state::hasLease)
                .map(AttemptRules::deadline)
                .orElse(null);
        return deadline != null && !deadline.isAfter(state.now());
    }

    private static SubmitRequest.Caller caller(ClaimRequest request, Run run) {
        Holder holder = request.holder().forRun(run.id());
        return new SubmitRequest.Caller(request.leaseOf(run.id()), holder);
    }

    private static Optional<Claimed> claimed(KeyState state, Run run) {
        return Optional.of(new Claimed(run, Objects.requireNonNull(state.leaseRecord()), state.queueSize() > 0));
    }
}
