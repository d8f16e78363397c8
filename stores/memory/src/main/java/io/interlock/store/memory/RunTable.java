package io.interlock.store.memory;

import io.interlock.EvictAnswer;
import io.interlock.LeaseRecord;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.EvictRequest;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import io.interlock.spi.run.rules.BareLeases;
import io.interlock.spi.run.rules.Finishing;
import io.interlock.spi.run.rules.Stopping;
import io.interlock.spi.run.rules.Working;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Leases and runs in one key space. A key that runs have nothing to do with goes by the rules for leases alone; on all others
 * runs have their say.
 */
class RunTable extends RoomTable {

    RunTable(StoreClock clock, Duration maxLease, RandomGenerator random) {
        super(clock, maxLease, random);
    }

    @Override
    AcquireAnswer decide(AcquireRequest request, List<Slot> locked) {
        // The whole of it, so that no grant is under way when a pause has been set.
        return whilePausesStand(() -> super.decide(request, locked));
    }

    @Override
    @Nullable
    Refusal refusal(Slot slot, AcquireRequest.Takeover takeover, long now) {
        if (concernsRuns(slot.key())) {
            Refusal refusal = step(slot, room -> BareLeases.refusal(room, takeover));
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
        boolean overdue = step(slot, Working::isOverdue);
        if (!slot.isTaken()) {
            slots.remove(slot);
            return new RenewAnswer.Lost(LossCause.GONE, null);
        }
        return overdue && slot.isProvedBy(request.id(), request.token())
                ? new RenewAnswer.Lost(LossCause.OVERDUE, slot.record(clock.now()))
                : super.renew(slot, request);
    }

    @Override
    ReleaseAnswer release(Slot slot, ReleaseRequest request) {
        if (!rows.know(slot.key()) || !slot.isProvedBy(request.id(), request.token())) {
            return super.release(slot, request);
        }
        LeaseRecord lease = slot.record(clock.now());
        step(slot, room -> {
            Finishing.stopped(room);
            return lease;
        });
        removeIfFree(slot);
        return lease.isLive() ? new ReleaseAnswer.Released(lease) : new ReleaseAnswer.Lapsed(lease);
    }

    EvictAnswer evict(EvictRequest request) {
        return slots.at(request.key(), slot -> evict(slot, request), new EvictAnswer.Mismatch(null));
    }

    /** Takes the lease of a locked slot away. */
    EvictAnswer evict(Slot slot, EvictRequest request) {
        EvictAnswer answer = step(slot, room -> Stopping.evict(room, request));
        removeIfFree(slot);
        return answer;
    }

    @Override
    Optional<LeaseRecord> clearIfOver(Slot slot) {
        if (!rows.know(slot.key())) {
            return super.clearIfOver(slot);
        }
        LeaseRecord lease = slot.record(clock.now());
        boolean kept = step(slot, BareLeases::keepsLease);
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
