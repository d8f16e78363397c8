package io.interlock.spi.run.rules;

import io.interlock.BoundedMap;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LossCause;
import io.interlock.RunId;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunSpec.Execution;
import io.interlock.run.RunStatus.Stage;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Starts attempts and renews their leases. */
public final class ClaimRules {

    private ClaimRules() {}

    /** Claims the run that has the reservation, if the worker can execute it. */
    public static Optional<Claimed> claim(KeyState state, ClaimRequest request) {
        Optional<Run> kept = state.reserved()
                .filter(run -> run.state() == RunState.PENDING && request.jobs().contains(run.job()));
        if (kept.isEmpty() || QueueRules.heldBack(state) != null) {
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
                .filter(run -> request.wants(run.key().tenant()) && state.hasLiveLease(run, request.leaseOf(run.id())))
                .filter(run -> state.lease()
                        .orElseThrow()
                        .holder()
                        .instance()
                        .equals(request.holder().instance()))
                .flatMap(run -> claimed(state, run));
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
            return state.hasLiveLease(run, request.caller().lease())
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
        if (state.isReservedFor(run) && QueueRules.heldBack(state) == null && QueueRules.hasPlace(state, seen)) {
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
        Run run = state.holder().orElse(null);
        if (run == null || !run.id().equals(request.run()) || !lease.isLive(state.now())) {
            return new HeartbeatAnswer.Lost(lease.lossCause(), state.leaseRecord());
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
    static boolean refusesRenewal(KeyState state, LeaseId id, FencingToken token) {
        boolean proved =
                state.lease().filter(lease -> lease.isProvedBy(id, token)).isPresent();
        if (!proved || !isOverdue(state)) {
            return false;
        }
        state.running().ifPresent(run -> AttemptRules.markOutOfTime(state, run));
        return true;
    }

    /** The key's lease was renewed without a report: it is {@code renewed} now, and may end earlier than before. */
    static void renewed(KeyState state, LeaseRow renewed) {
        state.setLease(renewed);
        // Its run is due earlier, too.
        state.holder().ifPresent(state::put);
    }

    private static boolean isOverdue(KeyState state) {
        Instant deadline = state.holder().map(AttemptRules::deadline).orElse(null);
        return deadline != null && !deadline.isAfter(state.now());
    }

    private static SubmitRequest.Caller caller(ClaimRequest request, Run run) {
        Holder holder = request.holder().forRun(run.id());
        return new SubmitRequest.Caller(request.leaseOf(run.id()), holder);
    }

    private static Optional<Claimed> claimed(KeyState state, Run run) {
        return Optional.of(new Claimed(run, Objects.requireNonNull(state.leaseRecord()), state.queueSize() > 0));
    }

    /**
     * When runs of each tenant were last claimed, so that tenants take turns from claim to claim: the tenant with the
     * oldest claim comes first, regardless of the number of waiting runs. It remembers a bounded number of tenants;
     * forgotten ones count as never claimed. Thread-safe.
     */
    public static final class TenantTurns {

        private static final int MOST_TENANTS = 10_000;

        private final Map<String, Long> last = BoundedMap.ofLastUsed(MOST_TENANTS);
        private long turns;

        /** A number that is smaller for older claims of {@code tenant}. */
        public synchronized long last(String tenant) {
            return last.getOrDefault(tenant, 0L);
        }

        /** Records a claim of {@code tenant}. */
        public synchronized void took(String tenant) {
            turns++;
            last.put(tenant, turns);
        }
    }
}
