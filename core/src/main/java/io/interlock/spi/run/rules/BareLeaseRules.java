package io.interlock.spi.run.rules;

import io.interlock.Refusal;
import io.interlock.run.Run;
import io.interlock.spi.LeaseStore.AcquireRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The effect of runs on requests for bare leases. */
public final class BareLeaseRules {

    private BareLeaseRules() {}

    /**
     * Why runs prevent a bare lease in a settled state whose lease is free or has ended, or {@code null} if they do
     * not. A cleared probe clears the key for the first run in the queue.
     */
    public static @Nullable Refusal refusal(KeyState state, AcquireRequest.Takeover takeover) {
        Refusal taken = QueueRules.taken(state);
        if (taken != null) {
            return taken;
        }
        Optional<Run> first = QueueRules.first(state);
        Refusal.AwaitsProbe unseen = QueueRules.awaitsProbe(state);
        if (first.isEmpty() || unseen == null || !takeover.ask()) {
            return first.map(run -> QueueRules.queuedAhead(state, run)).orElse(null);
        }
        if (!unseen.expired().token().equals(takeover.cleared().get(state.key()))) {
            return unseen;
        }
        state.setLease(null);
        Promotion.promote(state);
        return QueueRules.ahead(state);
    }

    /** Whether the key's lease has not ended, or still keeps the key closed. */
    public static boolean keepsLease(KeyState state) {
        return state.lease().isPresent() && !QueueRules.isOver(state);
    }
}
