package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Calls a store in the words of the tests here. */
record Caller(LeaseStore store) {

    static final Duration TTL = Duration.ofSeconds(30);
    static final LockKey KEY = LockKey.of("ledger/4711");

    static AcquireRequest request(LockKey key) {
        LeaseId id = LeaseId.random(Environment.system().random());
        return AcquireRequest.of(key, id, new Holder("host/1", "test"), TTL);
    }

    AcquireAnswer ask(LockKey key) {
        return store.tryAcquire(List.of(request(key))).only();
    }

    AcquireAnswer.Grant grant(LockKey key) {
        AcquireAnswer answer = ask(key);
        assertThat(answer).isInstanceOf(AcquireAnswer.Granted.class);
        return ((AcquireAnswer.Granted) answer).grants().get(0);
    }

    LeaseRecord take(LockKey key) {
        return grant(key).lease();
    }

    Refusal refusal(LockKey key) {
        AcquireAnswer answer = ask(key);
        assertThat(answer).isInstanceOf(AcquireAnswer.Refused.class);
        return ((AcquireAnswer.Refused) answer).refusal();
    }

    RenewAnswer renew(LeaseRecord lease) {
        return store.renew(List.of(new RenewRequest(lease.key(), lease.id(), lease.token(), TTL)))
                .only();
    }

    ReleaseAnswer release(LeaseRecord lease) {
        return store.release(List.of(new ReleaseRequest(lease.key(), lease.id(), lease.token())))
                .only();
    }

    Optional<LeaseRecord> find(LockKey key) {
        return store.find(List.of(key)).get(0);
    }
}
