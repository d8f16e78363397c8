package io.interlock.store.redis;

import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;

/** Short methods to call a store. */
final class Leases {

    static final Duration TTL = Duration.ofSeconds(30);
    private static final Holder HOLDER = new Holder("test-1", "a test");

    private Leases() {}

    static AcquireRequest asking(LockKey key) {
        return AcquireRequest.of(key, LeaseId.random(Environment.system().random()), HOLDER, TTL);
    }

    static LeaseRecord take(LeaseStore store, AcquireRequest request) {
        AcquireAnswer answer = store.tryAcquire(List.of(request)).only();
        if (answer instanceof AcquireAnswer.Granted granted) {
            return granted.grants().get(0).lease();
        }
        throw new AssertionError("not granted: " + answer);
    }

    static LeaseRecord take(LeaseStore store, String name) {
        return take(store, asking(LockKey.of(name)));
    }

    static LeaseRecord take(LeaseStore store, String name, Duration ttl) {
        return take(store, asking(LockKey.of(name)).on(LeaseTerms.of(ttl)));
    }

    static Refusal refusal(LeaseStore store, AcquireRequest request) {
        AcquireAnswer answer = store.tryAcquire(List.of(request)).only();
        if (answer instanceof AcquireAnswer.Refused refused) {
            return refused.refusal();
        }
        throw new AssertionError("granted: " + answer);
    }

    static Refusal refusal(LeaseStore store, String name) {
        return refusal(store, asking(LockKey.of(name)));
    }

    static ReleaseAnswer release(LeaseStore store, LeaseRecord lease) {
        return store.release(List.of(new ReleaseRequest(lease.key(), lease.id(), lease.token())))
                .only();
    }
}
