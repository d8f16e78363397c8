package io.interlock.store.memory;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.TokenLayout;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Mistakes in a store, each seen in some lock manager. The contract must notice every one. */
@SuppressWarnings("ImmutableEnumChecker") // the functions are lambdas without state
enum Mutant {
    RENEW_RESURRECTS_AN_EXPIRED_LEASE(clock -> new Table(clock) {
        @Override
        RenewAnswer renew(Slot slot, RenewRequest request) {
            if (slot.isProvedBy(request.id(), request.token()) && !slot.isEvicted()) {
                slot.extend(request.ttl(), clock.now());
                return new RenewAnswer.Renewed(slot.record(clock.now()));
            }
            return super.renew(slot, request);
        }
    }),

    RENEW_FORGETS_THE_EVICTION(clock -> new Table(clock) {
        @Override
        RenewAnswer renew(Slot slot, RenewRequest request) {
            RenewAnswer answer = super.renew(slot, request);
            if (answer instanceof RenewAnswer.Lost lost && lost.cause() == LossCause.EVICTED) {
                slot.extend(request.ttl(), clock.now());
                return new RenewAnswer.Renewed(slot.record(clock.now()));
            }
            return answer;
        }
    }),

    RENEW_NEVER_SHORTENS_A_LEASE(clock -> new Table(clock) {
        @Override
        RenewAnswer renew(Slot slot, RenewRequest request) {
            Duration left = slot.record(clock.now()).remaining();
            return super.renew(
                    slot,
                    left.compareTo(request.ttl()) > 0
                            ? new RenewRequest(request.key(), request.id(), request.token(), left)
                            : request);
        }
    }),

    RELEASE_ASKS_FOR_NO_PROOF(clock -> new Table(clock) {
        @Override
        ReleaseAnswer release(Slot slot, ReleaseRequest request) {
            LeaseRecord lease = slot.record(clock.now());
            return super.release(slot, new ReleaseRequest(lease.key(), lease.id(), lease.token()));
        }
    }),

    RELEASE_ASKS_FOR_NO_TOKEN(clock -> new Table(clock) {
        @Override
        ReleaseAnswer release(Slot slot, ReleaseRequest request) {
            return super.release(slot, new ReleaseRequest(request.key(), request.id(), new FencingToken(slot.token())));
        }
    }),

    TOKENS_START_AGAIN_WHEN_A_KEY_IS_FORGOTTEN(clock -> new Table(clock) {
        @Override
        FencingToken nextToken(Slot slot, int epoch, long now) {
            return TokenLayout.next(slot.token(), 0, epoch, StoreClock.instant(now));
        }
    }),

    TOKENS_COUNT_FROM_ONE(clock -> new Table(clock) {
        @Override
        FencingToken nextToken(Slot slot, int epoch, long now) {
            return new FencingToken(Math.max(slot.token(), slots.floor()) + 1);
        }
    }),

    EXPIRY_IS_IGNORED(clock -> new Table(clock) {
        @Override
        @Nullable
        Refusal refusal(Slot slot, AcquireRequest.Takeover takeover, long now) {
            return slot.isTaken() ? new Refusal.Held(slot.record(now)) : null;
        }
    }),

    LEASES_END_FIVE_SECONDS_EARLY(clock -> new Table(clock) {
        @Override
        @Nullable
        Refusal refusal(Slot slot, AcquireRequest.Takeover takeover, long now) {
            return super.refusal(slot, takeover, StoreClock.after(now, Duration.ofSeconds(5)));
        }
    }),

    LOCK_DELAY_IS_IGNORED(clock -> new Table(clock) {
        @Override
        @Nullable
        Refusal refusal(Slot slot, AcquireRequest.Takeover takeover, long now) {
            Refusal refusal = super.refusal(slot, takeover, now);
            return refusal instanceof Refusal.Delayed ? null : refusal;
        }
    }),

    BUNDLES_ARE_GRANTED_IN_PART(clock -> new Table(clock) {
        @Override
        AcquireAnswer acquire(AcquireRequest request) {
            List<AcquireAnswer.Grant> grants = new ArrayList<>();
            for (var key : request.keys()) {
                AcquireAnswer answer = super.acquire(new AcquireRequest(
                        List.of(key),
                        request.id(),
                        request.holder(),
                        request.terms(),
                        request.waits(),
                        request.takeover()));
                if (answer instanceof AcquireAnswer.Granted granted) {
                    grants.addAll(granted.grants());
                } else {
                    return answer;
                }
            }
            return new AcquireAnswer.Granted(grants);
        }
    }),

    A_REFUSAL_WRITES(clock -> new Table(clock) {
        @Override
        @Nullable
        Refusal refusal(Slot slot, AcquireRequest.Takeover takeover, long now) {
            Refusal refusal = super.refusal(slot, takeover, now);
            if (refusal instanceof Refusal.Held) {
                slot.extend(Duration.ofSeconds(40), now);
            }
            return refusal;
        }
    }),

    EVICTION_OPENS_THE_KEY_AT_ONCE(clock -> new Table(clock) {
        @Override
        EvictAnswer evict(Slot slot, EvictRequest request) {
            EvictAnswer answer = super.evict(slot, request);
            if (answer instanceof EvictAnswer.Evicted) {
                slots.remove(slot);
            }
            return answer;
        }
    }),

    EVICTION_TAKES_WHATEVER_TOKEN(clock -> new Table(clock) {
        @Override
        EvictAnswer evict(Slot slot, EvictRequest request) {
            return super.evict(
                    slot,
                    new EvictRequest(request.key(), new FencingToken(slot.token()), request.actor(), request.reason()));
        }
    }),

    ASKING_AGAIN_IS_A_SECOND_GRANT(clock -> new Table(clock) {
        @Override
        AcquireAnswer decide(AcquireRequest request, List<Slot> locked) {
            long now = clock.now();
            if (locked.stream().allMatch(slot -> slot.isLive(request.id(), now))) {
                locked.forEach(slot -> slot.grant(request, nextToken(slot, 0, now), now));
            }
            return super.decide(request, locked);
        }
    }),

    SWEEP_CLEARS_LIVE_LEASES(clock -> new Table(clock) {
        @Override
        Optional<LeaseRecord> clearIfOver(Slot slot) {
            slots.remove(slot);
            return Optional.of(slot.record(clock.now()));
        }
    }),

    THE_QUIET_PERIOD_IS_FORGOTTEN(clock -> new Table(clock) {
        @Override
        AcquireAnswer acquire(AcquireRequest request) {
            AcquireAnswer answer = super.acquire(request);
            if (answer instanceof AcquireAnswer.Refused refused
                    && refused.refusal() instanceof Refusal.StoreRecovering) {
                return slots.with(request.keys(), locked -> {
                    long now = clock.now();
                    locked.forEach(slot -> slot.grant(request, nextToken(slot, 1, now), now));
                    return new AcquireAnswer.Granted(locked.stream()
                            .map(slot -> new AcquireAnswer.Grant(slot.record(now), null))
                            .toList());
                });
            }
            return answer;
        }
    }),

    KEYS_ARE_CHECKED_AND_TAKEN_IN_TWO_STEPS(clock -> new Table(clock) {
        @Override
        AcquireAnswer acquire(AcquireRequest request) {
            boolean free = request.keys().stream().allMatch(key -> find(key).isEmpty());
            // Gives other threads a chance, as a network would.
            LockSupport.parkNanos(1_000);
            return free ? slots.with(request.keys(), locked -> grantAll(request, locked)) : super.acquire(request);
        }

        private AcquireAnswer grantAll(AcquireRequest request, List<Slot> locked) {
            long now = clock.now();
            locked.forEach(slot -> slot.grant(request, nextToken(slot, 0, now), now));
            return super.decide(request, locked);
        }
    });

    private final Function<StoreClock, RunTable> tables;

    Mutant(Function<StoreClock, RunTable> tables) {
        this.tables = tables;
    }

    MemoryHarness harness() {
        return new MemoryHarness(tables, MemoryStore::new);
    }

    private abstract static class Table extends RunTable {
        Table(StoreClock clock) {
            super(clock, MemoryStore.DEFAULT_MAX_LEASE, Environment.system().random());
        }
    }
}
