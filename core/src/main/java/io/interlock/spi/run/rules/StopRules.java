package io.interlock.spi.run.rules;

import io.interlock.Actor;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.RunState;
import io.interlock.run.AuditRecord;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.rules.KeyState.ChangeReason;

/** Cancels, and the effect of evictions on runs. */
public final class StopRules {

    private StopRules() {}

    /** Ends {@code run} if it has not started, else requests it to stop. */
    public static CancelAnswer cancel(KeyState state, CancelRequest request, Run known) {
        Run run = state.run(known.id()).orElse(null);
        if (run == null) {
            return new CancelAnswer.Over(state.latest(known));
        }
        StopRequest stop = new StopRequest(RunError.CANCELLED, request.actor().name(), request.reason(), state.now());
        ChangeReason why = new ChangeReason(request.actor(), request.reason());
        if (run.state() == RunState.RUNNING) {
            return new CancelAnswer.StopRequested(request(state, run, stop, why));
        }
        Run ended = AttemptRules.abort(state, run, stop.error(), why);
        Promotion.promote(state);
        return new CancelAnswer.Cancelled(ended);
    }

    /**
     * Evicts the key's lease, if it is the one the actor saw. Its end does not change: until then its holder may still
     * be working.
     */
    public static EvictAnswer evict(KeyState state, EvictRequest request) {
        LeaseRow lease = state.lease().orElse(null);
        if (lease == null || !lease.token().equals(request.expected())) {
            return new EvictAnswer.Mismatch(state.leaseRecord());
        }
        state.evict(new ChangeReason(request.actor(), request.reason()));
        LeaseRow victim = state.lease().orElseThrow();
        if (lease.eviction() == null) {
            evicted(state, request);
        }
        return new EvictAnswer.Evicted(victim.record(state.key(), state.now()), victim.opensAt());
    }

    /**
     * The lease of the key was just evicted. If a run worked under it, that run ends, although its work may still be
     * running.
     */
    public static void evicted(KeyState state, EvictRequest request) {
        Actor actor = request.actor();
        state.lease()
                .ifPresent(lease -> state.note(AuditRecord.of(
                                state.now(),
                                state.key(),
                                actor,
                                "evicted",
                                lease.holder().label(),
                                "",
                                request.reason())
                        .about(lease.holder().run(), lease.token(), actor.correlation())));
        state.holder()
                .filter(run -> state.lease().orElseThrow().token().equals(request.expected()))
                .ifPresent(run -> AttemptRules.abort(
                        state,
                        run,
                        new RunError(RunError.EVICTED, "evicted by " + request.actor() + ": " + request.reason()),
                        new ChangeReason(request.actor(), request.reason())));
        // Only its grace, or a missing probe, may have kept the key closed.
        Promotion.promote(state);
    }

    static Run request(KeyState state, Run run, StopRequest stop, ChangeReason why) {
        if (run.status().stop() != null) {
            return run;
        }
        Run asked = state.put(run.with(run.status().stopping(stop)));
        state.note(asked, "stop-requested", run.state().name(), run.state().name(), why);
        return asked;
    }
}
