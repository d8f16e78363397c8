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
import io.interlock.spi.run.rules.KeyRows;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.LeaseRules;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Mistakes in a store, each seen in some lock manager. The contract must notice every one. */
@SuppressWarnings("ImmutableEnumChecker") // the functions are lambdas without state
enum Mutant {
    RENEW_RESURRECTS_AN_EXPIRED_LEASE(clock -> new Table(clock) {
        @Override
        RenewAnswer renew(KeyState state, RenewRequest request) {
            boolean renewed = state.lease()
                    .filter(lease -> lease.isProvedBy(request.id(), request.token()) && lease.eviction() == null)
                    .isPresent();
            return renewed ? prolonged(state, request) : super.renew(state, request);
        }
    }),

    RENEW_FORGETS_THE_EVICTION(clock -> new Table(clock) {
        @Override
        RenewAnswer renew(KeyState state, RenewRequest request) {
            RenewAnswer answer = super.renew(state, request);
            return answer instanceof RenewAnswer.Lost lost && lost.cause() == LossCause.EVICTED
                    ? prolonged(state, request)
                    : answer;
        }
    }),

    RENEW_NEVER_SHORTENS_A_LEASE(clock -> new Table(clock) {
        @Override
        RenewAnswer renew(KeyState state, RenewRequest request) {
            Duration left = state.lease()
                    .map(lease -> Duration.between(state.now(), lease.expiresAt()))
                    .orElse(Duration.ZERO);
            return super.renew(
                    state,
                    left.compareTo(request.ttl()) > 0
                            ? new RenewRequest(request.key(), request.id(), request.token(), left)
                            : request);
        }
    }),

    RELEASE_ASKS_FOR_NO_PROOF(clock -> new Table(clock) {
        @Override
        ReleaseAnswer release(KeyState state, ReleaseRequest request) {
            return super.release(
                    state,
                    state.lease()
                            .map(lease -> new ReleaseRequest(request.key(), lease.id(), lease.token()))
                            .orElse(request));
        }
    }),

    RELEASE_ASKS_FOR_NO_TOKEN(clock -> new Table(clock) {
        @Override
        ReleaseAnswer release(KeyState state, ReleaseRequest request) {
            return super.release(
                    state,
                    state.lease()
                            .map(lease -> new ReleaseRequest(request.key(), request.id(), lease.token()))
                            .orElse(request));
        }
    }),

    TOKENS_START_AGAIN_WHEN_A_KEY_IS_FORGOTTEN(clock -> new Table(clock) {
        @Override
        AcquireAnswer.Grant grant(KeyState state, AcquireRequest request) {
            return granted(state, request, TokenLayout.next(state.lastToken(), 0, 0, state.now()));
        }
    }),

    TOKENS_COUNT_FROM_ONE(clock -> new Table(clock) {
        @Override
        AcquireAnswer.Grant grant(KeyState state, AcquireRequest request) {
            return granted(state, request, new FencingToken(Math.max(state.lastToken(), rows.leases.floor()) + 1));
        }
    }),

    EXPIRY_IS_IGNORED(clock -> new Table(clock) {
        @Override
        @Nullable
        Refusal refusal(KeyState state, AcquireRequest.Takeover takeover) {
            return state.lease().map(lease -> held(state, lease)).orElse(null);
        }
    }),

    LEASES_END_FIVE_SECONDS_EARLY(clock -> new Table(clock) {
        @Override
        KeyRows seen(KeyRows rows) {
            LeaseRow lease = rows.lease();
            return lease == null
                    ? rows
                    : new KeyRows(
                            lease.until(lease.expiresAt().minusSeconds(5)),
                            rows.lastToken(),
                            rows.reservation(),
                            rows.busy(),
                            rows.queue(),
                            rows.resource());
        }
    }),

    LOCK_DELAY_IS_IGNORED(clock -> new Table(clock) {
        @Override
        @Nullable
        Refusal refusal(KeyState state, AcquireRequest.Takeover takeover) {
            Refusal refusal = super.refusal(state, takeover);
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
        Refusal refusal(KeyState state, AcquireRequest.Takeover takeover) {
            Refusal refusal = super.refusal(state, takeover);
            if (refusal instanceof Refusal.Held) {
                prolong(state, Duration.ofSeconds(40));
            }
            return refusal;
        }
    }),

    EVICTION_OPENS_THE_KEY_AT_ONCE(clock -> new Table(clock) {
        @Override
        EvictAnswer evict(KeyState state, EvictRequest request) {
            EvictAnswer answer = super.evict(state, request);
            if (answer instanceof EvictAnswer.Evicted) {
                state.setLease(null);
            }
            return answer;
        }
    }),

    EVICTION_TAKES_WHATEVER_TOKEN(clock -> new Table(clock) {
        @Override
        EvictAnswer evict(KeyState state, EvictRequest request) {
            return super.evict(
                    state,
                    new EvictRequest(
                            request.key(), token(state, request.expected()), request.actor(), request.reason()));
        }
    }),

    ASKING_AGAIN_IS_A_SECOND_GRANT(clock -> new Table(clock) {
        @Override
        AcquireAnswer decide(AcquireRequest request) {
            AcquireAnswer answer = super.decide(request);
            return answer instanceof AcquireAnswer.Granted ? grantAll(request) : answer;
        }
    }),

    SWEEP_CLEARS_LIVE_LEASES(clock -> new Table(clock) {
        @Override
        List<LeaseRecord> sweep(int limit) {
            List<LeaseRecord> live = leases().toList();
            live.forEach(lease -> unsettled(lease.key(), state -> {
                state.setLease(null);
                return state;
            }));
            return live;
        }
    }),

    THE_QUIET_PERIOD_IS_FORGOTTEN(clock -> new Table(clock) {
        @Override
        AcquireAnswer decide(AcquireRequest request) {
            AcquireAnswer answer = super.decide(request);
            return answer instanceof AcquireAnswer.Refused refused
                            && refused.refusal() instanceof Refusal.StoreRecovering
                    ? grantAll(request)
                    : answer;
        }
    }),

    KEYS_ARE_CHECKED_AND_TAKEN_IN_TWO_STEPS(clock -> new Table(clock) {
        @Override
        AcquireAnswer acquire(AcquireRequest request) {
            boolean free = request.keys().stream().allMatch(key -> find(key).isEmpty());
            // Gives other threads a chance, as a network would.
            LockSupport.parkNanos(1_000);
            return free ? grantAll(request) : super.acquire(request);
        }
    });

    private final Function<StoreClock, RunTable> tables;

    Mutant(Function<StoreClock, RunTable> tables) {
        this.tables = tables;
    }

    MemoryHarness harness() {
        return new MemoryHarness(tables, MemoryStore::new);
    }

    private static FencingToken token(KeyState state, FencingToken otherwise) {
        return state.lease().map(LeaseRow::token).orElse(otherwise);
    }

    private static Refusal held(KeyState state, LeaseRow lease) {
        return new Refusal.Held(lease.record(state.key(), state.now()));
    }

    private static LeaseRow prolong(KeyState state, Duration ttl) {
        LeaseRow lease = state.lease().orElseThrow();
        LeaseRow longer = new LeaseRow(
                lease.id(),
                lease.holder(),
                lease.token(),
                lease.grantedAt(),
                state.now().plus(ttl),
                lease.lockDelay(),
                null,
                lease.probed());
        state.setLease(longer);
        return longer;
    }

    private static RenewAnswer prolonged(KeyState state, RenewRequest request) {
        return new RenewAnswer.Renewed(prolong(state, request.ttl()).record(state.key(), state.now()));
    }

    private static AcquireAnswer.Grant granted(KeyState state, AcquireRequest request, FencingToken token) {
        LeaseRow lease = LeaseRules.grant(request, token, state.now());
        state.setLease(lease);
        return new AcquireAnswer.Grant(lease.record(state.key(), state.now()), null);
    }

    private abstract static class Table extends RunTable {
        Table(StoreClock clock) {
            super(clock, MemoryStore.DEFAULT_MAX_LEASE, Environment.system().random());
        }

        /** Grants all keys, whatever stands against it. */
        AcquireAnswer grantAll(AcquireRequest request) {
            return new AcquireAnswer.Granted(request.keys().stream()
                    .map(key -> unsettled(key, state -> grant(state, request)))
                    .toList());
        }
    }
}
