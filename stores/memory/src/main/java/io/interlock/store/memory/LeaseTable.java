package io.interlock.store.memory;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.TokenLayout;
import io.interlock.spi.run.rules.LeaseRules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The leases of one store and their rules; each method is one atomic step. Shared by all clients of the store.
 *
 * <p>In every step the clock is read after the slots are locked, and the era after the clock: a grant that has missed
 * a new era was therefore made before it began, and ends within its quiet period.
 */
class LeaseTable {

    final Slots slots = new Slots();
    final StoreClock clock;
    private final Duration maxLease;
    private volatile Era era = new Era(0, Long.MIN_VALUE);

    /** Tokens carry {@code epoch}, and nothing is granted before {@code quietUntil}. */
    record Era(int epoch, long quietUntil) {}

    LeaseTable(StoreClock clock, Duration maxLease) {
        this.clock = clock;
        this.maxLease = maxLease;
    }

    Era era() {
        return era;
    }

    Duration maxLease() {
        return maxLease;
    }

    AcquireAnswer acquire(AcquireRequest request) {
        return slots.with(request.keys(), locked -> decide(request, locked));
    }

    RenewAnswer renew(RenewRequest request) {
        return slots.at(request.key(), slot -> renew(slot, request), new RenewAnswer.Lost(LossCause.GONE, null));
    }

    ReleaseAnswer release(ReleaseRequest request) {
        return slots.at(request.key(), slot -> release(slot, request), new ReleaseAnswer.Gone(null));
    }

    Optional<LeaseRecord> find(LockKey key) {
        return slots.at(key, slot -> Optional.of(slot.record(clock.now())), Optional.empty());
    }

    /** Leases that have not ended, in no order. */
    Stream<LeaseRecord> leases() {
        return slots.all().stream()
                .map(slot -> slots.at(slot, s -> Optional.of(s.record(clock.now())), Optional.<LeaseRecord>empty()))
                .flatMap(Optional::stream)
                .filter(lease -> !lease.isExpired());
    }

    /** Deletes expired leases whose lock delay is over. */
    List<LeaseRecord> sweep(int limit) {
        return slots.all().stream()
                .map(slot -> slots.at(slot, this::clearIfOver, Optional.<LeaseRecord>empty()))
                .flatMap(Optional::stream)
                .limit(limit)
                .toList();
    }

    synchronized Instant bumpEpoch() {
        long highest = slots.floor();
        for (Slot slot : slots.all()) {
            highest = Math.max(highest, slots.at(slot, Slot::token, 0L));
        }
        int epoch = TokenLayout.epochAfter(MemoryStore.NAME, era.epoch(), highest);
        // Twice: a step that missed the first read its clock before the second.
        era = new Era(epoch, StoreClock.after(clock.now(), maxLease));
        era = new Era(epoch, StoreClock.after(clock.now(), maxLease));
        return StoreClock.instant(era.quietUntil());
    }

    /** Grants locked slots, all or none. */
    AcquireAnswer decide(AcquireRequest request, List<Slot> locked) {
        long now = clock.now();
        Era era = this.era;
        if (locked.stream().allMatch(slot -> slot.isLive(request.id(), now))) {
            return new AcquireAnswer.Granted(locked.stream()
                    .map(slot -> new AcquireAnswer.Grant(slot.record(now), null))
                    .toList());
        }
        if (now < era.quietUntil()) {
            return new AcquireAnswer.Refused(new Refusal.StoreRecovering(
                    request.keys().get(0), StoreClock.instant(now), StoreClock.instant(era.quietUntil())));
        }
        for (Slot slot : locked) {
            Refusal refusal = refusal(slot, request.takeover(), now);
            if (refusal != null) {
                return new AcquireAnswer.Refused(refusal);
            }
        }
        List<AcquireAnswer.Grant> grants = new ArrayList<>(locked.size());
        for (Slot slot : locked) {
            LeaseRecord takenOver = slot.isTaken() ? slot.record(now) : null;
            slot.grant(request, nextToken(slot, era.epoch(), now), now);
            grants.add(new AcquireAnswer.Grant(slot.record(now), takenOver));
        }
        return new AcquireAnswer.Granted(grants);
    }

    /** Why the key cannot be granted now, or {@code null} if it can. */
    @Nullable
    Refusal refusal(Slot slot, AcquireRequest.Takeover takeover, long now) {
        return LeaseRules.refusal(slot.key(), slot.row(), takeover, StoreClock.instant(now));
    }

    /** A token greater than all earlier ones of the key. */
    FencingToken nextToken(Slot slot, int epoch, long now) {
        return TokenLayout.next(slot.token(), slots.floor(), epoch, StoreClock.instant(now));
    }

    /** Renews the lease of a locked slot, if id and token match and it is live. */
    RenewAnswer renew(Slot slot, RenewRequest request) {
        long now = clock.now();
        RenewAnswer.Lost lost = LeaseRules.loss(request, slot.row(), StoreClock.instant(now));
        if (lost != null) {
            return lost;
        }
        slot.extend(request.ttl(), now);
        return new RenewAnswer.Renewed(slot.record(now));
    }

    /** Frees a locked slot, if id and token match, even if the lease has ended, because its work has stopped. */
    ReleaseAnswer release(Slot slot, ReleaseRequest request) {
        long now = clock.now();
        LeaseRecord lease = slot.record(now);
        if (!slot.isProvedBy(request.id(), request.token())) {
            return new ReleaseAnswer.Gone(lease);
        }
        slots.remove(slot);
        return ReleaseAnswer.of(lease);
    }

    /** Deletes the lease of a locked slot, if the key could be granted again. */
    Optional<LeaseRecord> clearIfOver(Slot slot) {
        long now = clock.now();
        if (now < slot.opensAt() || slot.awaitsProbe()) {
            return Optional.empty();
        }
        slots.remove(slot);
        return Optional.of(slot.record(now));
    }
}
