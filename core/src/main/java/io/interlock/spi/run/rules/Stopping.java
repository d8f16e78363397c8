package io.interlock.spi.run.rules;

import io.interlock.EvictAnswer;
import io.interlock.RunState;
import io.interlock.run.AuditRecord;
import io.interlock.run.CancelAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.StopRequest;
import io.interlock.spi.EvictRequest;
import io.interlock.spi.run.CancelRequest;

/** Cancelling, and what an eviction does to a run. */
public final class Stopping {

    private Stopping() {}

    /** Ends {@code run} if it has not started, or asks it to stop. */
    public static CancelAnswer cancel(Room room, CancelRequest request, Run known) {
        Run run = room.run(known.id()).orElse(null);
        if (run == null) {
            return new CancelAnswer.Over(room.latest(known));
        }
        StopRequest stop = new StopRequest(RunError.CANCELLED, request.actor(), request.reason(), room.now());
        if (run.state() == RunState.RUNNING) {
            return new CancelAnswer.StopRequested(request(room, run, stop));
        }
        Run ended = Verdict.abort(room, run, stop.error(), new Why(request.actor(), request.reason()));
        Promotion.promote(room);
        return new CancelAnswer.Cancelled(ended);
    }

    /**
     * Takes the key's lease away, if it is the one the actor saw. Its end stays where it was: until then its holder may
     * still be working.
     */
    public static EvictAnswer evict(Room room, EvictRequest request) {
        LeaseRow lease = room.lease().orElse(null);
        if (lease == null || !lease.token().equals(request.expected())) {
            return new EvictAnswer.Mismatch(room.leaseRecord());
        }
        room.evict(new Why(request.actor(), request.reason()));
        LeaseRow victim = room.lease().orElseThrow();
        if (lease.eviction() == null) {
            evicted(room, request);
        }
        return new EvictAnswer.Evicted(victim.record(room.key(), room.now()), victim.opensAt());
    }

    /**
     * The lease of the key was evicted just now. If a run worked under it, that run is over, though its work may still go
     * on.
     */
    public static void evicted(Room room, EvictRequest request) {
        room.lease()
                .ifPresent(lease -> room.note(new AuditRecord(
                        0,
                        room.now(),
                        room.key(),
                        lease.holder().run(),
                        lease.token(),
                        request.actor(),
                        "evicted",
                        lease.holder().label(),
                        "",
                        request.reason(),
                        null)));
        room.running()
                .filter(run ->
                        room.hasLease(run) && room.lease().orElseThrow().token().equals(request.expected()))
                .ifPresent(run -> Verdict.abort(
                        room,
                        run,
                        new RunError(RunError.EVICTED, "evicted by " + request.actor() + ": " + request.reason()),
                        new Why(request.actor(), request.reason())));
        // Only its grace, or that nobody had looked outside, may have kept the key closed.
        Promotion.promote(room);
    }

    static Run request(Room room, Run run, StopRequest stop) {
        if (run.status().stop() != null) {
            return run;
        }
        Run asked = room.put(run.with(run.status().stopping(stop)));
        room.note(
                asked, "stop-requested", run.state().name(), run.state().name(), new Why(stop.actor(), stop.reason()));
        return asked;
    }
}
