package io.interlock.spi.run.rules;

import io.interlock.Refusal;
import io.interlock.run.Run;
import io.interlock.spi.AcquireRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What runs mean for a request for a bare lease. */
public final class BareLeaseRules {

    private BareLeaseRules() {}

    /**
     * Why a bare lease is not granted in a settled state whose lease row is free or over, or {@code null} if runs have
     * nothing against it. A look outside that clears the key clears it for the first in line.
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
