package io.interlock.spi.run.rules;

import io.interlock.LeaseRecord;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.run.Transition;
import io.interlock.spi.run.rules.KeyRows.Reservation;
import io.interlock.spi.run.rules.StepContext.TenantSlots;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which run comes next, and what prevents its start. Changes nothing. */
public final class QueueRules {

    /**
     * The order of a queue: by {@linkplain #place place}, then by number. It never changes, so a run that waits is sure to come first
     * one day.
     */
    // By itself: a comparator made of others is linked at its first use, which costs each start of the command line
    // milliseconds.
    public static final Comparator<Run> ORDER = (one, other) -> {
        int byPlace = Long.compare(place(one), place(other));
        return byPlace == 0 ? Long.compare(one.number(), other.number()) : byPlace;
    };

    /** How many runs at the front are read first; more only if none of these may start. */
    public static final int FRONT = 1;

    /** What a point of priority is worth in microseconds: a minute of waiting. */
    static final long POINT = 60_000_000;

    private static final int PAGE = 4;
    private static final int MOST_PAGES = 25;

    private QueueRules() {}

    /** Ready runs first, then the others. */
    public static Comparator<Run> readyFirst(Instant now) {
        return Comparator.<Run>comparingLong(run -> LineRules.rank(run, now)).thenComparingLong(Run::number);
    }

    /** When a run of priority 0 would have been submitted to stand where {@code run} stands, in microseconds since 1970. */
    public static long place(Run run) {
        return place(run.submittedAt(), run.spec().priority());
    }

    /** The same of a run with such a priority. */
    public static long place(Instant submittedAt, int priority) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, submittedAt) - priority * POINT;
    }

    /** Whether the delay of a waiting run is over, and it has not missed the offer of its key. */
    public static boolean isReady(Run run, Instant now) {
        Waiter waiter = run.status().waiter();
        return run.state() == RunState.QUEUED
                && run.status().mayBegin(now)
                && (waiter == null || !waiter.missedOffer());
    }

    /** The run that would start if the key were free. */
    static Optional<Run> first(KeyState state) {
        Optional<Run> owner = owner(state);
        if (owner.isPresent()) {
            // The resource belongs to its owner, also between two attempts: no other run may start.
            return owner.filter(run -> isEligible(state, run));
        }
        Set<RunId> passed = new HashSet<>();
        for (int page = 0; page < MOST_PAGES; page++) {
            int limit = page == 0 ? FRONT : PAGE;
            List<Run> front = state.front(passed, limit);
            for (Run run : front) {
                if (isEligible(state, run)) {
                    return Optional.of(run);
                }
                passed.add(run.id());
            }
            if (front.size() < limit) {
                return Optional.empty();
            }
        }
        // None of the first runs may start. Runs with lost callers are due anyway, and the first run that waits for a
        // place is registered for one, so reading more would not help.
        return Optional.empty();
    }

    static boolean isEligible(KeyState state, Run run) {
        return couldBegin(state, run) && hasPlace(state, run);
    }

    /** Whether only the limit of its tenant prevents the start of the run, if the key is free. */
    private static boolean couldBegin(KeyState state, Run run) {
        Waiter waiter = run.status().waiter();
        return isReady(run, state.now())
                && (waiter == null || !state.context().isStale(waiter))
                && owner(state).map(owner -> owner.id().equals(run.id())).orElse(true);
    }

    /** Whether the tenant's limit has a place for the run, and no run of another key comes first. */
    static boolean hasPlace(KeyState state, Run run) {
        int limit = run.line().tenantMaxRunning();
        if (limit == Integer.MAX_VALUE) {
            return true;
        }
        int busy = state.tenantBusy();
        if (busy >= limit) {
            return false;
        }
        TenantSlots.Rival rival = state.context().tenant().firstRival(busy);
        return rival == null || !rival.goesBefore(run);
    }

    /** The first waiting run, if the key is free and only the tenant's limit prevents its start. */
    public static Optional<Run> waitsForPlace(KeyState state) {
        if (state.queueSize() == 0 || closed(state) != null) {
            return Optional.empty();
        }
        Optional<Run> first =
                owner(state).or(() -> state.front(Set.of(), 1).stream().findFirst());
        return first.filter(run -> couldBegin(state, run) && !hasPlace(state, run));
    }

    /**
     * Whether a waiting run could start now: the step has settled the key before another one of the tenant, which has given up
     * a place.
     */
    public static boolean isLeftToStart(KeyState state) {
        return state.queueSize() > 0 && closed(state) == null && first(state).isPresent();
    }

    /** The run that owns the resource, also between two attempts. */
    static Optional<Run> owner(KeyState state) {
        return state.resource().flatMap(Resource::owningRun).flatMap(state::run);
    }

    /** Why {@code run} may not start in the state of the resource, or {@code null} if it may. */
    static RunRefusal.@Nullable WrongState wrongState(KeyState state, Run run) {
        Transition guard = run.spec().guard();
        if (guard == null || owner(state).isPresent()) {
            // A run owns the resource: its own guard was checked before, and for other runs the policy decides.
            return null;
        }
        String stands = state.resource().map(Resource::state).orElse(Resource.UNTOUCHED);
        return guard.mayStartFrom(stands) ? null : new RunRefusal.WrongState(state.key(), stands, guard.from());
    }

    /** Why the key cannot be granted to a run now, or {@code null}. Ignores waiting runs. */
    static @Nullable Refusal closed(KeyState state) {
        Refusal taken = taken(state);
        return taken != null ? taken : awaitsProbe(state);
    }

    /** Why the key cannot be granted now, not even after a probe, or {@code null}. */
    static @Nullable Refusal taken(KeyState state) {
        Refusal quiet = quiet(state);
        if (quiet != null) {
            return quiet;
        }
        LeaseRecord lease = state.leaseRecord();
        if (lease != null && !isOver(state)) {
            return lease.isExpired() ? new Refusal.Delayed(lease, opensAt(state)) : new Refusal.Held(lease);
        }
        Reservation reservation = state.reservation().orElse(null);
        if (reservation != null) {
            Run run = state.run(reservation.run()).orElseThrow();
            return new RunRefusal.Reserved(state.key(), run.id(), run.job(), reservation.since(), state.now());
        }
        return paused(state);
    }

    static Refusal.@Nullable AwaitsProbe awaitsProbe(KeyState state) {
        LeaseRecord lease = state.leaseRecord();
        return lease != null && state.lease().orElseThrow().awaitsProbe() ? new Refusal.AwaitsProbe(lease) : null;
    }

    /** What prevents the start of a waiting run, or {@code null} if only its own delay does. */
    static @Nullable Refusal inTheWayOf(KeyState state, Run run) {
        boolean offered = state.isReservedFor(run);
        // Its own reservation is not an obstacle.
        Refusal closed = offered ? heldBack(state) : closed(state);
        if (closed != null) {
            return closed;
        }
        int limit = run.line().tenantMaxRunning();
        if (limit < Integer.MAX_VALUE && state.tenantBusy() >= limit) {
            return new RunRefusal.TenantBusy(state.key(), state.tenantBusy(), limit);
        }
        Optional<Run> first = offered ? Optional.empty() : owner(state).or(state::firstWaiting);
        return first.filter(other -> !other.id().equals(run.id()))
                .map(other -> queuedAhead(state, other))
                .orElse(null);
    }

    /** What prevents even the start of the run with the reservation, or {@code null}. */
    static @Nullable Refusal heldBack(KeyState state) {
        Refusal quiet = quiet(state);
        return quiet != null ? quiet : paused(state);
    }

    private static @Nullable Refusal quiet(KeyState state) {
        Instant until = state.context().quietUntil();
        return until != null && until.isAfter(state.now())
                ? new Refusal.StoreRecovering(state.key(), state.now(), until)
                : null;
    }

    /** Whether a pause covers the key now. */
    public static boolean isPaused(KeyState state) {
        return paused(state) != null;
    }

    static RunRefusal.@Nullable Paused paused(KeyState state) {
        return state.context().pauses().stream()
                .filter(pause -> pause.covers(state.key()) && pause.lastsAt(state.now()))
                .findFirst()
                .map(pause -> new RunRefusal.Paused(state.key(), pause, state.now()))
                .orElse(null);
    }

    /** Why a newcomer cannot have the key, or {@code null}. */
    static @Nullable Refusal ahead(KeyState state) {
        Refusal closed = closed(state);
        return closed != null
                ? closed
                : first(state).map(run -> queuedAhead(state, run)).orElse(null);
    }

    static RunRefusal.QueuedAhead queuedAhead(KeyState state, Run first) {
        return new RunRefusal.QueuedAhead(state.key(), first.id(), first.job(), state.queueSize());
    }

    /** Whether the key has a lease that ended, and the key may be granted again. */
    static boolean isOver(KeyState state) {
        return state.running().isEmpty() && !opensAt(state).isAfter(state.now());
    }

    /** When the key of an expired lease becomes free: after its lock delay, and not before its run has ended. */
    static Instant opensAt(KeyState state) {
        LeaseRow lease = state.lease().orElseThrow();
        Instant opens = lease.opensAt();
        return state.holder()
                .map(run -> lease.expiresAt().plus(run.spec().limits().expiryGrace()))
                .filter(verdict -> verdict.isAfter(opens))
                .orElse(opens);
    }
}
