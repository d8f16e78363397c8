package io.interlock.store.memory;

import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.tck.ForwardingStore;
import io.interlock.tck.StoreHarness;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** Clients of a correct store with one mistake, each with the contract test that must notice it. */
@SuppressWarnings("ImmutableEnumChecker") // the functions are lambdas without state
enum StoreMutant {
    NOBODY_RENEWS("aHeldLeaseIsRenewedByItself", (store, environment) -> new ForwardingStore(store) {
        @Override
        public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
            List<RenewAnswer> answers = new ArrayList<>();
            for (RenewRequest request : requests) {
                answers.add(new RenewAnswer.Renewed(
                        find(List.of(request.key())).get(0).orElseThrow()));
            }
            return Answers.of(answers);
        }
    }),

    RENEWALS_RESURRECT("aHolderWhoseLeaseExpiredIsTold", (store, environment) -> new ForwardingStore(store) {
        @Override
        public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
            Answers<RenewAnswer> honest = super.renew(requests);
            List<RenewAnswer> answers = new ArrayList<>();
            for (int i = 0; i < honest.size(); i++) {
                RenewAnswer answer = honest.get(i);
                if (answer instanceof RenewAnswer.Lost lost && lost.current() != null) {
                    answer = new RenewAnswer.Renewed(lost.current());
                }
                answers.add(answer);
            }
            return Answers.of(answers);
        }
    }),

    THE_CLOCK_OF_THE_ASKER_DECIDES(
            "theClocksOfClientsDecideNothing", (store, environment) -> new ForwardingStore(store) {
                @Override
                public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
                    for (AcquireRequest request : requests) {
                        for (Optional<LeaseRecord> found : find(request.keys())) {
                            found.filter(lease -> lease.expiresAt()
                                            .isBefore(environment.clock().instant()))
                                    .ifPresent(over ->
                                            release(List.of(new ReleaseRequest(over.key(), over.id(), over.token()))));
                        }
                    }
                    return super.tryAcquire(requests);
                }
            }),

    NOBODY_LOOKS_OUTSIDE(
            "aKeyIsTakenOverOnlyWhenTheProbeSaysThatTheWorkIsOver", (store, environment) -> new ForwardingStore(store) {
                @Override
                public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
                    return super.tryAcquire(requests.stream()
                            .map(request -> request.taking(AcquireRequest.Takeover.allowed()))
                            .toList());
                }
            }),

    EVERYBODY_HAS_KEYS_OF_ITS_OWN(
            "threadsThatCountUnderTheLockLoseNoUpdate", (store, environment) -> new ForwardingStore(store) {
                private final String tenant = "t" + environment.random().nextLong(Long.MAX_VALUE);

                @Override
                public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
                    return super.tryAcquire(requests.stream()
                            .map(request -> new AcquireRequest(
                                    request.keys().stream()
                                            .map(key -> LockKey.of(tenant, key.name()))
                                            .toList(),
                                    request.id(),
                                    request.holder(),
                                    request.terms(),
                                    request.waits(),
                                    request.takeover()))
                            .toList());
                }
            });

    private final String noticedBy;
    private final BiFunction<LeaseStore, Environment, LeaseStore> client;

    StoreMutant(String noticedBy, BiFunction<LeaseStore, Environment, LeaseStore> client) {
        this.noticedBy = noticedBy;
        this.client = client;
    }

    String noticedBy() {
        return noticedBy;
    }

    StoreHarness harness() {
        MemoryHarness honest = new MemoryHarness();
        return new StoreHarness() {
            @Override
            public LeaseStore open(Environment environment) {
                return client.apply(honest.open(environment), environment);
            }

            @Override
            public void advance(Duration time) {
                honest.advance(time);
            }

            @Override
            public void reset() {
                honest.reset();
            }

            @Override
            public void close() {
                honest.close();
            }
        };
    }
}
