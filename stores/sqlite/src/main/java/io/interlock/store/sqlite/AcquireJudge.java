package io.interlock.store.sqlite;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says what a request gets that is not granted anew. It only looks, so it serves both the read that most refusals need and
 * the transaction that grants.
 *
 * @param state of the store, brought to now
 */
record AcquireJudge(StoreState state) {

    /**
     * The answer to {@code request} if it does not depend on what each key says, or {@code null}.
     *
     * @param leases those of its keys, in their order; {@code null} where a key has none
     */
    @Nullable
    AcquireAnswer answer(AcquireRequest request, List<? extends @Nullable StoredLease> leases) {
        AcquireAnswer again = grantedBefore(request, leases);
        if (again != null) {
            return again;
        }
        long now = state.moment();
        if (now < state.quietUntil()) {
            LockKey first = request.keys().get(0);
            return new AcquireAnswer.Refused(
                    new Refusal.StoreRecovering(first, Micros.moment(now), Micros.moment(state.quietUntil())));
        }
        return null;
    }

    /** Why the key of {@code lease} cannot be had now, or {@code null} if it can. */
    @Nullable
    Refusal refusal(AcquireRequest request, StoredLease lease) {
        long now = state.moment();
        if (!lease.isExpired(now)) {
            return new Refusal.Held(lease.seenAt(now));
        }
        if (now < lease.opensAt()) {
            return new Refusal.Delayed(lease.seenAt(now), Micros.moment(lease.opensAt()));
        }
        FencingToken cleared = request.takeover().cleared().get(lease.key());
        if (request.takeover().ask()
                && lease.eviction() == null
                && !lease.token().equals(cleared)) {
            return new Refusal.AwaitsProbe(lease.seenAt(now));
        }
        return null;
    }

    // A request repeated because its first answer was lost.
    private @Nullable AcquireAnswer grantedBefore(
            AcquireRequest request, List<? extends @Nullable StoredLease> leases) {
        long now = state.moment();
        List<AcquireAnswer.Grant> grants = new ArrayList<>();
        for (StoredLease lease : leases) {
            if (lease == null || !lease.id().equals(request.id()) || !lease.isLive(now)) {
                return null;
            }
            grants.add(new AcquireAnswer.Grant(lease.seenAt(now), null));
        }
        return new AcquireAnswer.Granted(grants);
    }
}
