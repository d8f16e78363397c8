package io.interlock.store.memory;

import io.interlock.ConflictPolicy;
import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Run;
import io.interlock.run.SweepAction;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.run.RunSteps;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.Upkeep;
import io.interlock.spi.run.WorkSteps;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.rules.KeyRows;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.time.Environment;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Mistakes in a store of runs. The contract must notice every one. */
@SuppressWarnings("ImmutableEnumChecker") // the functions are lambdas without state
enum RunMutant {
    TWO_RUNS_HAVE_ONE_KEY(clock -> new Table(clock) {
        @Override
        KeyRows seen(KeyRows rows) {
            return new KeyRows(null, rows.lastToken(), null, rows.busy(), rows.queue(), rows.resource());
        }
    }),

    FINISHING_ASKS_FOR_NO_PROOF(MemoryHarness.other(WorkSteps.class, client -> new MemoryWork(client) {
        @Override
        FinishAnswer finish(FinishRequest request) {
            return client.alone(rows -> rows.run(request.run()))
                    .flatMap(run -> run.status().lastTurn())
                    .map(turn -> super.finish(new FinishRequest(
                            request.run(), request.key(), turn.lease(), turn.token(), request.ending())))
                    .orElseGet(() -> super.finish(request));
        }
    })),

    A_RETRY_KEEPS_THE_KEY(MemoryHarness.other(WorkSteps.class, client -> new MemoryWork(client) {
        @Override
        FinishAnswer finish(FinishRequest request) {
            LeaseRow before = client.alone(rows -> rows.leases.find(request.key()));
            FinishAnswer answer = super.finish(request);
            if (answer instanceof FinishAnswer.Finished finished
                    && !finished.run().state().isTerminal()) {
                client.table().unsettled(request.key(), state -> {
                    state.setLease(before);
                    return state;
                });
            }
            return answer;
        }
    })),

    PRIORITIES_ARE_IGNORED(clock -> new MisorderedTable(clock, Comparator.comparingLong(Run::number))),

    WAITING_RAISES_NO_PRIORITY(clock -> new MisorderedTable(
            clock, Comparator.<Run>comparingInt(run -> -run.spec().priority()).thenComparingLong(Run::number))),

    IDEMPOTENCY_IS_SHARED_BY_TENANTS(MemoryHarness.other(RunSteps.class, client -> new MemoryRuns(client) {
        @Override
        NameRows.Name name(LockKey key, SubmitRequest.Idempotency idempotency) {
            return new NameRows.Name("", idempotency.key());
        }
    })),

    A_REPEATED_CLAIM_IS_ANOTHER(MemoryHarness.other(WorkSteps.class, client -> new MemoryWork(client) {
        @Override
        public List<Claimed> claim(ClaimRequest request) {
            return super.claim(new ClaimRequest(
                    LeaseId.random(Environment.system().random()).value(),
                    request.holder(),
                    request.tenant(),
                    request.jobs(),
                    request.max()));
        }
    })),

    A_CLAIM_IS_KNOWN_BY_ITS_NAME_ALONE(MemoryHarness.other(WorkSteps.class, client -> new MemoryWork(client) {
        @Override
        public List<Claimed> claim(ClaimRequest request) {
            return super.claim(FirstClaims.BY_ID.computeIfAbsent(request.id(), id -> request));
        }
    })),

    EVICTING_ASKS_FOR_NO_TOKEN(clock -> new Table(clock) {
        @Override
        EvictAnswer evict(KeyState state, EvictRequest request) {
            FencingToken token = state.lease().map(LeaseRow::token).orElse(request.expected());
            return super.evict(state, new EvictRequest(request.key(), token, request.actor(), request.reason()));
        }
    }),

    BARE_LEASES_BARGE_PAST_THE_LINE(clock -> new Table(clock) {
        @Override
        @Nullable
        Refusal refusal(KeyState state, AcquireRequest.Takeover takeover) {
            boolean held =
                    state.lease().filter(lease -> !lease.isExpired(state.now())).isPresent();
            return held ? super.refusal(state, takeover) : null;
        }
    }),

    GUARDS_ARE_FORGOTTEN(clock -> new Table(clock) {
        @Override
        KeyRows seen(KeyRows rows) {
            return withoutResource(rows);
        }
    }),

    WHAT_WAS_OFFERED_IS_GRANTED_IN_ANY_STATE(
            BlindTable::new, MemoryHarness.other(RunSteps.class, client -> new MemoryRuns(client) {
                @Override
                public Answers<TurnAnswer> takeTurn(List<TurnRequest> requests) {
                    AtomicBoolean turning = ((BlindTable) client.table()).turning;
                    turning.set(true);
                    try {
                        return super.takeTurn(requests);
                    } finally {
                        turning.set(false);
                    }
                }
            })),

    QUEUES_REFUSE(MemoryHarness.other(RunSteps.class, client -> new MemoryRuns(client) {
        @Override
        SubmitAnswer submit(SubmitRequest request) {
            return request.spec().policy() == ConflictPolicy.QUEUE
                    ? super.submit(new SubmitRequest(
                            request.id(),
                            request.key(),
                            request.spec().policy(ConflictPolicy.REJECT),
                            request.idempotency(),
                            request.caller(),
                            request.line()))
                    : super.submit(request);
        }
    })),

    RUNS_DO_NOT_WAIT_UNTIL_SOMEBODY_HAS_LOOKED(clock -> new Table(clock) {
        @Override
        KeyRows seen(KeyRows rows) {
            LeaseRow lease = rows.lease();
            return lease == null || !lease.probed()
                    ? rows
                    : new KeyRows(
                            unmarked(lease),
                            rows.lastToken(),
                            rows.reservation(),
                            rows.busy(),
                            rows.queue(),
                            rows.resource());
        }

        private LeaseRow unmarked(LeaseRow lease) {
            return new LeaseRow(
                    lease.id(),
                    lease.holder(),
                    lease.token(),
                    lease.grantedAt(),
                    lease.expiresAt(),
                    lease.lockDelay(),
                    lease.eviction(),
                    false);
        }
    }),

    CALLERS_ARE_GONE_THOUGH_THEY_COULD_NOT_REPORT(clock -> new Table(clock) {
        @Override
        Instant heardSince(Instant now) {
            return Instant.EPOCH;
        }
    }),

    PLACES_OF_A_TENANT_STAY_EMPTY(clock -> new Table(clock) {
        @Override
        List<SweepAction> fillPlaces(String tenant) {
            return List.of();
        }
    }),

    NOBODY_SWEEPS(MemoryHarness.other(Upkeep.class, client -> new MemoryUpkeep(client) {
        @Override
        public List<SweepAction> sweepRuns(int limit) {
            return List.of();
        }
    }));

    private final Function<StoreClock, RunTable> tables;
    private final BiFunction<Environment, RunTable, RunStore> clients;

    RunMutant(Function<StoreClock, RunTable> tables) {
        this(tables, MemoryStore::new);
    }

    RunMutant(BiFunction<Environment, RunTable, RunStore> clients) {
        this(MemoryHarness::table, clients);
    }

    RunMutant(Function<StoreClock, RunTable> tables, BiFunction<Environment, RunTable, RunStore> clients) {
        this.tables = tables;
        this.clients = clients;
    }

    MemoryHarness harness() {
        return new MemoryHarness(tables, clients);
    }

    private static KeyRows withoutResource(KeyRows rows) {
        return new KeyRows(rows.lease(), rows.lastToken(), rows.reservation(), rows.busy(), rows.queue(), null);
    }

    private static final class FirstClaims {
        private static final Map<UUID, ClaimRequest> BY_ID = new ConcurrentHashMap<>();
    }

    private static class Table extends RunTable {
        Table(StoreClock clock) {
            super(clock, MemoryStore.DEFAULT_MAX_LEASE, Environment.system().random());
        }
    }

    /** Sees queues in another order than that of the rules. */
    private static final class MisorderedTable extends Table {
        private final Comparator<Run> order;

        MisorderedTable(StoreClock clock, Comparator<Run> order) {
            super(clock);
            this.order = order;
        }

        @Override
        KeyRows seen(KeyRows rows) {
            return new KeyRows(
                    rows.lease(),
                    rows.lastToken(),
                    rows.reservation(),
                    rows.busy(),
                    new MisorderedQueue(rows.queue(), order),
                    rows.resource());
        }
    }

    /** Sees no resources while callers take their turns. */
    private static final class BlindTable extends Table {
        private final AtomicBoolean turning = new AtomicBoolean();

        BlindTable(StoreClock clock) {
            super(clock);
        }

        @Override
        KeyRows seen(KeyRows rows) {
            return turning.get() && rows.reservation() != null ? withoutResource(rows) : rows;
        }
    }
}
