package io.interlock.spi.run.rules;

import io.interlock.RunState;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.SweepAction;
import io.interlock.run.Waiter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What time alone brings about. Every step on a key begins with it, so a key opens when it should though nobody sweeps.
 */
public final class Settlement {

    private final Room room;
    private final List<SweepAction> done = new ArrayList<>();

    private Settlement(Room room) {
        this.room = room;
    }

    /** Settles what is due, and lets the next in line have the key if it is free. */
    public static List<SweepAction> settle(Room room) {
        Settlement settlement = new Settlement(room);
        settlement.judgeOverlap();
        settlement.judgeRunning();
        settlement.judgeReservation();
        settlement.judgeWaiting();
        settlement.promote();
        return List.copyOf(settlement.done);
    }

    // No step leads here; a changed table or a lost guard may. Nobody can tell which of them is right, so none is.
    private void judgeOverlap() {
        List<Run> running = room.runs().stream()
                .filter(run -> run.state() == RunState.RUNNING)
                .sorted(Comparator.comparingLong(Run::number))
                .toList();
        if (running.size() < 2) {
            return;
        }
        String all = running.stream().map(run -> run.id().toString()).collect(Collectors.joining(", "));
        RunError error = new RunError(RunError.OVERLAPPING_GRANTS, "counted as running at the same time: " + all);
        running.forEach(run -> ended(Verdict.fail(room, run, error)));
        room.evict(Why.rule(error.message()));
    }

    private void judgeRunning() {
        Optional<Run> running = room.running();
        if (running.isEmpty()) {
            return;
        }
        Run run = running.get();
        if (!room.hasLease(run)) {
            ended(Verdict.fail(
                    room, run, new RunError(RunError.LOCK_STATE_LOST, "counted as running, but nobody had its lease")));
            return;
        }
        Instant end = room.lease().orElseThrow().expiresAt();
        if (!end.plus(run.spec().limits().expiryGrace()).isAfter(room.now())) {
            ended(Verdict.lost(room, run, end));
        }
    }

    private void judgeReservation() {
        Reservation reservation = room.reservation().orElse(null);
        if (reservation == null) {
            return;
        }
        Run run = room.run(reservation.run()).orElseThrow();
        if (reservation.hasLapsed(room.now())) {
            Waiter waiter = run.status().waiter();
            Instant seen = waiter == null ? reservation.since() : waiter.seenAt();
            room.put(run.with(run.status().waiting(new Waiter(seen, true))));
            room.setReservation(null);
            done.add(new SweepAction(room.key(), run.id(), run.state(), "did not take the turn it was offered"));
        } else if (run.state() == RunState.PENDING && hasWaitedTooLong(run)) {
            ended(Verdict.fail(room, run, new RunError(RunError.NO_WORKER, "no worker came within its max wait")));
        }
    }

    private void judgeWaiting() {
        for (Run run : Line.waiting(room)) {
            Waiter waiter = run.status().waiter();
            if (waiter != null && waiter.isStale(room.now())) {
                abort(run, RunError.WAITER_LOST, "whoever wanted to do the work no longer waits");
            } else if (hasWaitedTooLong(run)) {
                abort(run, RunError.WAIT_EXPIRED, "waited in line for longer than its max wait");
            }
        }
    }

    private void promote() {
        Optional<Reservation> before = room.reservation();
        Promotion.promote(room);
        room.reservation()
                .filter(now -> before.isEmpty())
                .flatMap(now -> room.run(now.run()))
                .ifPresent(run -> done.add(new SweepAction(room.key(), run.id(), run.state(), "the key is free")));
    }

    private boolean hasWaitedTooLong(Run run) {
        Instant since = run.status().since();
        Instant rested = run.status().notBefore();
        Instant from = rested != null && rested.isAfter(since) ? rested : since;
        Duration limit = run.spec().limits().maxWait();
        return limit != null && from.plus(limit).isBefore(room.now());
    }

    private void abort(Run run, String code, String message) {
        ended(Verdict.abort(room, run, new RunError(code, message), Why.rule(message)));
    }

    private void ended(Run run) {
        RunError error = run.status().error();
        done.add(new SweepAction(room.key(), run.id(), run.state(), error == null ? "" : error.message()));
    }
}
