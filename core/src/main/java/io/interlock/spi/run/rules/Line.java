package io.interlock.spi.run.rules;

import io.interlock.LeaseRecord;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.Transition;
import io.interlock.run.Waiter;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who comes next, and what stands in the way. Reads a room and changes nothing. */
public final class Line {

    private static final int MOST_AGEING = 10;

    private Line() {}

    /** Higher first, then whoever came first. */
    public static Comparator<Run> order(Instant now) {
        return Comparator.<Run>comparingInt(run -> -effectivePriority(run, now)).thenComparingLong(Run::number);
    }

    /** The priority, and one more for every full minute since it was submitted, up to ten. */
    static int effectivePriority(Run run, Instant now) {
        long minutes = Math.max(0, Duration.between(run.submittedAt(), now).toMinutes());
        return run.spec().priority() + (int) Math.min(MOST_AGEING, minutes);
    }

    /** All who wait, in their order: first those who could have their turn now, then the others. */
    static List<Run> waiting(Room room) {
        return room.runs().stream()
                .filter(run -> run.state() == RunState.QUEUED)
                .sorted(Comparator.<Run, Boolean>comparing(run -> !isEligible(room, run))
                        .thenComparing(order(room.now())))
                .toList();
    }

    static int position(Room room, Run run) {
        return waiting(room).indexOf(run) + 1;
    }

    /** Whoever would have its turn if the key were free. */
    static Optional<Run> first(Room room) {
        return waiting(room).stream().filter(run -> isEligible(room, run)).findFirst();
    }

    static boolean isEligible(Room room, Run run) {
        Waiter waiter = run.status().waiter();
        return run.state() == RunState.QUEUED
                && run.status().mayBegin(room.now())
                && (waiter == null || (!waiter.missedOffer() && !waiter.isStale(room.now())))
                && room.tenantBusy() < run.line().tenantMaxRunning()
                && owner(room).map(owner -> owner.id().equals(run.id())).orElse(true);
    }

    /** The run that moves the resource, between two attempts too. */
    static Optional<Run> owner(Room room) {
        return room.resource().flatMap(Resource::owningRun).flatMap(room::run);
    }

    /** Why {@code run} may not start from where the resource stands, or {@code null} if it may. */
    static RunRefusal.@Nullable WrongState wrongState(Room room, Run run) {
        Transition guard = run.spec().guard();
        if (guard == null || owner(room).isPresent()) {
            // A run owns the resource: it is that run's own guard it passed, or the policy decides about others.
            return null;
        }
        String state = room.resource().map(Resource::state).orElse(Resource.UNTOUCHED);
        return guard.mayStartFrom(state) ? null : new RunRefusal.WrongState(room.key(), state, guard.from());
    }

    /** Why no run can be granted the key now, or {@code null}. Whoever waits does not count. */
    static @Nullable Refusal closed(Room room) {
        Refusal taken = taken(room);
        return taken != null ? taken : awaitsProbe(room);
    }

    /** Why nobody can be granted the key now, not even whoever has looked outside, or {@code null}. */
    static @Nullable Refusal taken(Room room) {
        Refusal quiet = quiet(room);
        if (quiet != null) {
            return quiet;
        }
        LeaseRecord lease = room.leaseRecord();
        if (lease != null && !isOver(room)) {
            return lease.isExpired() ? new Refusal.Delayed(lease, opensAt(room)) : new Refusal.Held(lease);
        }
        Reservation reservation = room.reservation().orElse(null);
        if (reservation != null) {
            Run run = room.run(reservation.run()).orElseThrow();
            return new RunRefusal.Reserved(room.key(), run.id(), run.job(), reservation.since(), room.now());
        }
        return paused(room);
    }

    /** That somebody has to look outside first, or {@code null}. */
    static Refusal.@Nullable AwaitsProbe awaitsProbe(Room room) {
        LeaseRecord lease = room.leaseRecord();
        return lease != null && room.lease().orElseThrow().awaitsProbe() ? new Refusal.AwaitsProbe(lease) : null;
    }

    /** Whether nothing may start now, not even what the key is kept for. */
    static boolean holdsBack(Room room) {
        return heldBack(room) != null;
    }

    /** What keeps a run in line from starting, or {@code null} if only its own rest does. */
    static @Nullable Refusal inTheWayOf(Room room, Run run) {
        boolean offered =
                room.reservation().map(kept -> kept.run().equals(run.id())).orElse(false);
        // That the key is kept for it is in nobody's way.
        Refusal closed = offered ? heldBack(room) : closed(room);
        if (closed != null) {
            return closed;
        }
        if (room.tenantBusy() >= run.line().tenantMaxRunning()) {
            return new RunRefusal.TenantBusy(
                    room.key(), room.tenantBusy(), run.line().tenantMaxRunning());
        }
        Optional<Run> first = offered
                ? Optional.empty()
                : owner(room).or(() -> waiting(room).stream().findFirst());
        return first.filter(other -> !other.id().equals(run.id()))
                .map(other -> queuedAhead(room, other))
                .orElse(null);
    }

    /** What keeps even the one from starting whom the key is kept for, or {@code null}. */
    private static @Nullable Refusal heldBack(Room room) {
        Refusal quiet = quiet(room);
        return quiet != null ? quiet : paused(room);
    }

    private static @Nullable Refusal quiet(Room room) {
        Instant until = room.facts().quietUntil();
        return until != null && until.isAfter(room.now())
                ? new Refusal.StoreRecovering(room.key(), room.now(), until)
                : null;
    }

    static RunRefusal.@Nullable Paused paused(Room room) {
        return room.facts().pauses().stream()
                .filter(pause -> pause.covers(room.key()) && pause.lastsAt(room.now()))
                .findFirst()
                .map(pause -> new RunRefusal.Paused(room.key(), pause, room.now()))
                .orElse(null);
    }

    /** Why somebody who is not in line cannot have the key, or {@code null}. */
    static @Nullable Refusal ahead(Room room) {
        Refusal closed = closed(room);
        return closed != null
                ? closed
                : first(room).map(run -> queuedAhead(room, run)).orElse(null);
    }

    static RunRefusal.QueuedAhead queuedAhead(Room room, Run first) {
        return new RunRefusal.QueuedAhead(
                room.key(), first.id(), first.job(), waiting(room).size());
    }

    /** Whether the key has a lease that ended, and somebody else may have the key. */
    static boolean isOver(Room room) {
        return room.running().isEmpty() && !opensAt(room).isAfter(room.now());
    }

    /** When the key of an expired lease opens: after its lock delay, and not before the verdict on its run. */
    static Instant opensAt(Room room) {
        LeaseRow lease = room.lease().orElseThrow();
        Instant opens = lease.opensAt();
        return room.running()
                .filter(room::hasLease)
                .map(run -> lease.expiresAt().plus(run.spec().limits().expiryGrace()))
                .filter(verdict -> verdict.isAfter(opens))
                .orElse(opens);
    }
}
