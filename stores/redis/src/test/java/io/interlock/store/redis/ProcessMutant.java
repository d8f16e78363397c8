package io.interlock.store.redis;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.tck.ForwardingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Mistakes in the client of another process, each with the contract test that must notice it. */
@SuppressWarnings("ImmutableEnumChecker") // the functions are lambdas without state
enum ProcessMutant {
    EVERY_PROCESS_HAS_KEYS_OF_ITS_OWN(
            "processesThatCountUnderTheLockLoseNoUpdate", store -> new ForwardingStore(store) {
                @Override
                public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
                    String tenant = "p" + ProcessHandle.current().pid();
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
            }),

    LEASES_OUTLIVE_THEIR_TTL(
            "theKeyOfAKilledHolderGoesToAnotherProcessWhenItsLeaseEnds", store -> new ForwardingStore(store) {
                @Override
                public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
                    return super.tryAcquire(requests.stream()
                            .map(request -> request.on(LeaseTerms.of(Duration.ofMinutes(1))))
                            .toList());
                }

                // A slow machine renews before it kills the holder.
                @Override
                public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
                    return super.renew(requests.stream()
                            .map(request -> new RenewRequest(
                                    request.key(), request.id(), request.token(), Duration.ofMinutes(1)))
                            .toList());
                }
            }),

    TOKENS_FALL("theKeyOfAKilledHolderGoesToAnotherProcessWhenItsLeaseEnds", FallingTokens::new),

    RENEWALS_RESURRECT("aHolderThatSleptThroughItsLeaseIsToldAndHarmsNobody", store -> new ForwardingStore(store) {
        @Override
        public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
            Answers<RenewAnswer> honest = super.renew(requests);
            return Answers.of(IntStream.range(0, honest.size())
                    .mapToObj(honest::get)
                    .map(answer -> answer instanceof RenewAnswer.Lost lost && lost.current() != null
                            ? new RenewAnswer.Renewed(lost.current())
                            : answer)
                    .toList());
        }
    }),

    RELEASES_NEED_NO_PROOF("aHolderThatSleptThroughItsLeaseIsToldAndHarmsNobody", store -> new ForwardingStore(store) {
        @Override
        public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
            List<ReleaseRequest> whoeverHasIt = new ArrayList<>();
            for (ReleaseRequest request : requests) {
                Optional<LeaseRecord> current = find(List.of(request.key())).get(0);
                whoeverHasIt.add(current.map(lease -> new ReleaseRequest(lease.key(), lease.id(), lease.token()))
                        .orElse(request));
            }
            return super.release(whoeverHasIt);
        }
    });

    private final String noticedBy;
    private final UnaryOperator<LeaseStore> client;

    ProcessMutant(String noticedBy, UnaryOperator<LeaseStore> client) {
        this.noticedBy = noticedBy;
        this.client = client;
    }

    String noticedBy() {
        return noticedBy;
    }

    LeaseStore client(LeaseStore honest) {
        return client.apply(honest);
    }

    /** Tokens decrease instead of increasing. */
    private static final class FallingTokens extends ForwardingStore {

        FallingTokens(LeaseStore store) {
            super(store);
        }

        @Override
        public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
            Answers<AcquireAnswer> honest = super.tryAcquire(requests);
            return Answers.of(IntStream.range(0, honest.size())
                    .mapToObj(honest::get)
                    .map(answer -> answer instanceof AcquireAnswer.Granted granted
                            ? new AcquireAnswer.Granted(granted.grants().stream()
                                    .map(grant -> new AcquireAnswer.Grant(flipped(grant.lease()), null))
                                    .toList())
                            : answer)
                    .toList());
        }

        @Override
        public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
            return super.renew(requests.stream()
                    .map(request ->
                            new RenewRequest(request.key(), request.id(), flipped(request.token()), request.ttl()))
                    .toList());
        }

        @Override
        public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
            return super.release(requests.stream()
                    .map(request -> new ReleaseRequest(request.key(), request.id(), flipped(request.token())))
                    .toList());
        }

        @Override
        public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
            return super.find(keys).stream()
                    .map(found -> found.map(FallingTokens::flipped))
                    .toList();
        }

        private static FencingToken flipped(FencingToken token) {
            return new FencingToken((1L << 53) - 1 - token.value());
        }

        private static LeaseRecord flipped(LeaseRecord lease) {
            return new LeaseRecord(
                    lease.key(),
                    lease.id(),
                    lease.holder(),
                    flipped(lease.token()),
                    lease.grantedAt(),
                    lease.expiresAt(),
                    lease.observedAt(),
                    lease.eviction());
        }
    }
}
