package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One client of the store under test, with helper methods of the contract. */
final class Client {

    private final LeaseStore store;

    Client(LeaseStore store) {
        this.store = store;
    }

    LeaseStore store() {
        return store;
    }

    AcquireAnswer ask(AcquireRequest request) {
        return store.tryAcquire(List.of(request)).only();
    }

    /** Acquires; all keys must be granted. */
    List<AcquireAnswer.Grant> grants(AcquireRequest request) {
        AcquireAnswer answer = ask(request);
        assertThat(answer).as("answer to %s", request).isInstanceOf(AcquireAnswer.Granted.class);
        return ((AcquireAnswer.Granted) answer).grants();
    }

    /** Acquires one key, which must be granted. */
    AcquireAnswer.Grant grant(AcquireRequest request) {
        List<AcquireAnswer.Grant> grants = grants(request);
        assertThat(grants).hasSize(1);
        return grants.get(0);
    }

    /** Acquires one key and returns its lease. */
    LeaseRecord take(AcquireRequest request) {
        return grant(request).lease();
    }

    /** Acquires one key with default terms and returns its lease. */
    LeaseRecord take(LockKey key) {
        return take(ContractRequests.forKey(key));
    }

    /** Acquires; must be refused. */
    Refusal refusal(AcquireRequest request) {
        AcquireAnswer answer = ask(request);
        assertThat(answer).as("answer to %s", request).isInstanceOf(AcquireAnswer.Refused.class);
        return ((AcquireAnswer.Refused) answer).refusal();
    }

    /** Acquires one key with default terms; must be refused. */
    Refusal refusal(LockKey key) {
        return refusal(ContractRequests.forKey(key));
    }

    RenewAnswer renew(LeaseRecord lease, Duration ttl) {
        return store.renew(List.of(new RenewRequest(lease.key(), lease.id(), lease.token(), ttl)))
                .only();
    }

    /** Renews, and must succeed. */
    LeaseRecord renewed(LeaseRecord lease, Duration ttl) {
        RenewAnswer answer = renew(lease, ttl);
        assertThat(answer).isInstanceOf(RenewAnswer.Renewed.class);
        return ((RenewAnswer.Renewed) answer).lease();
    }

    /** Renews; the lease must be lost. */
    RenewAnswer.Lost lost(LeaseRecord lease) {
        RenewAnswer answer = renew(lease, ContractRequests.TTL);
        assertThat(answer).isInstanceOf(RenewAnswer.Lost.class);
        return (RenewAnswer.Lost) answer;
    }

    ReleaseAnswer release(LeaseRecord lease) {
        return store.release(List.of(new ReleaseRequest(lease.key(), lease.id(), lease.token())))
                .only();
    }

    /** Releases a lease that must still be held. */
    void released(LeaseRecord lease) {
        assertThat(release(lease)).isInstanceOf(ReleaseAnswer.Released.class);
    }

    EvictAnswer evict(LeaseRecord lease) {
        return store.evict(new EvictRequest(lease.key(), lease.token(), "ops@example.org", "stuck since noon"));
    }

    /** Evicts, and must succeed. */
    EvictAnswer.Evicted evicted(LeaseRecord lease) {
        EvictAnswer answer = evict(lease);
        assertThat(answer).isInstanceOf(EvictAnswer.Evicted.class);
        return (EvictAnswer.Evicted) answer;
    }

    Optional<LeaseRecord> find(LockKey key) {
        List<Optional<LeaseRecord>> found = store.find(List.of(key));
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    /** Finds the key's lease, which must equal this one. */
    void holds(LeaseRecord lease) {
        LeaseRecord found = find(lease.key()).orElseThrow();
        assertThat(found.id()).isEqualTo(lease.id());
        assertThat(found.token()).isEqualTo(lease.token());
        assertThat(found.holder()).isEqualTo(lease.holder());
        assertThat(found.isLive()).as("%s is live", found).isTrue();
    }
}
