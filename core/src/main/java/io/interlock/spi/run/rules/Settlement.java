package io.interlock.spi.run.rules;

import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.run.SweepAction;
import io.interlock.spi.run.rules.KeyRows.Reservation;
import io.interlock.spi.run.rules.KeyState.ChangeReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Applies expiries and timeouts. Every step on a key begins with it, so a key becomes free in time without a janitor.
 * A step settles at most {@link #MOST_RUNS} waiting runs; with more, the key stays due and the next step continues.
 */
public final class Settlement {

    /** How many waiting runs one step ends or checks. */
    public static final int MOST_RUNS = 100;

    private final KeyState state;
    private final List<SweepAction> done = new ArrayList<>();

    private Settlement(KeyState state) {
        this.state = state;
    }

    /** Settles what is due, and gives a free key to the next run in the queue. */
    public static List<SweepAction> settle(KeyState state) {
        Settlement settlement = new Settlement(state);
        settlement.judgeOverlap();
        settlement.judgeRunning();
        settlement.judgeReservation();
        settlement.judgeWaiting();
        settlement.promote();
        return List.copyOf(settlement.done);
    }

    /**
     * Settles the busy run only: enough before a claim of that run, which does not depend on waiting runs.
     */
    public static void settleBusy(KeyState state) {
        Settlement settlement = new Settlement(state);
        settlement.judgeOverlap();
        settlement.judgeRunning();
        settlement.judgeReservation();
    }

    // No step causes this; a table changed by hand may. It is unknown which run is right, so both fail.
    private void judgeOverlap() {
        List<Run> running = state.allRunning()
                .sorted((one, other) -> Long.compare(one.number(), other.number()))
                .toList();
        if (running.size() < 2) {
            return;
        }
        String all = running.stream().map(run -> run.id().toString()).collect(Collectors.joining(", "));
        RunError error = new RunError(RunError.OVERLAPPING_GRANTS, "were running at the same time: " + all);
        running.forEach(run -> ended(AttemptRules.fail(state, run, error)));
        state.evict(ChangeReason.rule(error.message()));
    }

    private void judgeRunning() {
        Optional<Run> running = state.running();
        if (running.isEmpty()) {
            return;
        }
        Run run = running.get();
        if (!state.hasLease(run)) {
            ended(AttemptRules.fail(state, run, new RunError(RunError.LOCK_STATE_LOST, "was running without a lease")));
            return;
        }
        Instant end = state.lease().orElseThrow().expiresAt();
        if (!end.plus(run.spec().limits().expiryGrace()).isAfter(state.now())) {
            ended(AttemptRules.lost(state, run));
        }
    }

    private void judgeReservation() {
        Reservation reservation = state.reservation().orElse(null);
        if (reservation == null) {
            return;
        }
        Run run = state.run(reservation.run()).orElseThrow();
        if (reservation.hasLapsed(state.now())) {
            Waiter waiter = run.status().waiter();
            Instant seen = waiter == null ? reservation.since() : waiter.seenAt();
            state.put(run.with(run.status().waiting(new Waiter(seen, true))));
            state.setReservation(null);
            done.add(new SweepAction(state.key(), run.id(), run.state(), "did not take the turn it was offered"));
        } else if (run.state() == RunState.PENDING && DueRules.hasWaitedTooLong(run, state.now())) {
            ended(AttemptRules.fail(
                    state, run, new RunError(RunError.NO_WORKER, "no worker claimed it within its max wait")));
        }
    }

    private void judgeWaiting() {
        List<Run> due = state.due(MOST_RUNS);
        for (Run run : due) {
            Waiter waiter = run.status().waiter();
            if (waiter != null && state.context().isStale(waiter)) {
                abort(run, RunError.WAITER_LOST, "its caller no longer waits");
            } else if (DueRules.hasWaitedTooLong(run, state.now())) {
                abort(run, RunError.WAIT_EXPIRED, "waited in the queue for longer than its max wait");
            } else {
                // Its delay is over, or its caller could not report: it is ready, and due later. That counts from when
                // callers could report again, otherwise the run would be due again with every step.
                Instant heard = state.context().heardSince();
                state.put(waiter == null ? run : run.with(run.status().waiting(waiter.since(heard))));
            }
        }
        if (due.size() == MOST_RUNS) {
            state.leaveUnfinished();
        }
    }

    private void promote() {
        Optional<Reservation> before = state.reservation();
        Set<RunId> told = done.stream().map(SweepAction::run).collect(Collectors.toSet());
        Promotion.promote(state);
        state.changes().runs().stream()
                .filter(run -> run.state().isTerminal() && !told.contains(run.id()))
                .forEach(this::ended);
        state.reserved()
                .filter(run -> before.isEmpty())
                .ifPresent(run -> done.add(new SweepAction(state.key(), run.id(), run.state(), "the key is free")));
    }

    private void abort(Run run, String code, String message) {
        ended(AttemptRules.abort(state, run, new RunError(code, message), ChangeReason.rule(message)));
    }

    private void ended(Run run) {
        RunError error = run.status().error();
        done.add(new SweepAction(state.key(), run.id(), run.state(), error == null ? "" : error.message()));
    }
}
