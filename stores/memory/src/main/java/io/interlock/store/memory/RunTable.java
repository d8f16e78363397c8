package io.interlock.store.memory;

import io.interlock.EvictAnswer;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.EvictRequest;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import io.interlock.spi.run.rules.BareLeaseRules;
import io.interlock.spi.run.rules.ClaimRules;
import io.interlock.spi.run.rules.FinishRules;
import io.interlock.spi.run.rules.StopRules;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Leases and runs in one key space. For a key without runs only the rules for leases apply, and its steps do not wait
 * for steps about runs; for all others the rules for runs apply. Thread-safe.
 */
class RunTable extends KeyTable {

    RunTable(StoreClock clock, Duration maxLease, RandomGenerator random) {
        super(clock, maxLease, random);
    }

    @Override
    AcquireAnswer acquire(AcquireRequest request) {
        AcquireAnswer answer = super.acquire(request);
        request.keys().stream().map(LockKey::tenant).distinct().forEach(this::fillPlaces);
        return answer;
    }

    @Override
    RenewAnswer renew(RenewRequest request) {
        RenewAnswer answer = super.renew(request);
        fillPlaces(request.key().tenant());
        return answer;
    }

    @Override
    ReleaseAnswer release(ReleaseRequest request) {
        ReleaseAnswer answer = super.release(request);
        fillPlaces(request.key().tenant());
        return answer;
    }

    @Override
    List<LeaseRecord> sweep(int limit) {
        List<LeaseRecord> cleared = super.sweep(limit);
        rows.tenantsThatWait().forEach(this::fillPlaces);
        return cleared;
    }

    @Override
    AcquireAnswer decide(AcquireRequest request, List<Slot> locked) {
        // The whole step, so that no grant is in progress when a pause has been set.
        return whilePausesStand(() -> super.decide(request, locked));
    }

    @Override
    @Nullable
    Refusal refusal(Slot slot, AcquireRequest.Takeover takeover, long now) {
        if (concernsRuns(slot.key())) {
            Refusal refusal = step(slot, state -> BareLeaseRules.refusal(state, takeover));
            if (refusal != null) {
                return refusal;
            }
        }
        return super.refusal(slot, takeover, now);
    }

    @Override
    RenewAnswer renew(Slot slot, RenewRequest request) {
        if (!rows.know(slot.key())) {
            return super.renew(slot, request);
        }
        boolean isRefused = step(slot, state -> ClaimRules.refusesRenewal(state, request.id(), request.token()));
        if (!slot.isTaken()) {
            slots.remove(slot);
            return new RenewAnswer.Lost(LossCause.GONE, null);
        }
        if (isRefused) {
            return new RenewAnswer.Lost(LossCause.OVERDUE, slot.record(clock.now()));
        }
        RenewAnswer answer = super.renew(slot, request);
        // The lease may end earlier than before, and then the key is due earlier.
        return apply(slot, state -> answer);
    }

    @Override
    ReleaseAnswer release(Slot slot, ReleaseRequest request) {
        if (!rows.know(slot.key()) || !slot.isProvedBy(request.id(), request.token())) {
            return super.release(slot, request);
        }
        LeaseRecord lease = slot.record(clock.now());
        step(slot, state -> {
            FinishRules.stopped(state);
            return lease;
        });
        removeIfFree(slot);
        return lease.isLive() ? new ReleaseAnswer.Released(lease) : new ReleaseAnswer.Lapsed(lease);
    }

    EvictAnswer evict(EvictRequest request) {
        EvictAnswer answer = slots.at(request.key(), slot -> evict(slot, request), new EvictAnswer.Mismatch(null));
        fillPlaces(request.key().tenant());
        return answer;
    }

    /** Evicts the lease of a locked slot. */
    EvictAnswer evict(Slot slot, EvictRequest request) {
        EvictAnswer answer = step(slot, state -> StopRules.evict(state, request));
        removeIfFree(slot);
        return answer;
    }

    @Override
    Optional<LeaseRecord> clearIfOver(Slot slot) {
        if (!rows.know(slot.key())) {
            return super.clearIfOver(slot);
        }
        LeaseRecord lease = slot.record(clock.now());
        boolean kept = step(slot, BareLeaseRules::keepsLease);
        if (slot.isTaken()) {
            return kept ? Optional.empty() : super.clearIfOver(slot);
        }
        removeIfFree(slot);
        return Optional.of(lease);
    }

    private void removeIfFree(Slot slot) {
        if (!slot.isTaken()) {
            slots.remove(slot);
        }
    }
}
