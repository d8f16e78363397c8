package io.interlock.store.postgres;

import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
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

/** Short words for what tests ask of a store. */
final class Bench {

    static final Duration TTL = Duration.ofSeconds(30);
    static final Holder HOLDER = new Holder("test/1", "the test");

    private Bench() {}

    static LockKey key(String name) {
        return LockKey.of("acme", name);
    }

    static AcquireRequest asking(String... names) {
        return AcquireRequest.of(
                List.of(names).stream().map(Bench::key).toList(),
                LeaseId.random(Environment.system().random()),
                HOLDER,
                TTL);
    }

    static AcquireAnswer ask(LeaseStore store, AcquireRequest request) {
        return store.tryAcquire(List.of(request)).only();
    }

    static LeaseRecord take(LeaseStore store, AcquireRequest request) {
        if (ask(store, request) instanceof AcquireAnswer.Granted granted) {
            return granted.grants().get(0).lease();
        }
        throw new AssertionError("not granted: " + request);
    }

    static LeaseRecord take(LeaseStore store, String name) {
        return take(store, asking(name));
    }

    static RenewAnswer renew(LeaseStore store, LeaseRecord lease) {
        return store.renew(List.of(new RenewRequest(lease.key(), lease.id(), lease.token(), TTL)))
                .only();
    }

    static ReleaseAnswer release(LeaseStore store, LeaseRecord lease) {
        return store.release(List.of(releasing(lease))).only();
    }

    static ReleaseRequest releasing(LeaseRecord lease) {
        return new ReleaseRequest(lease.key(), lease.id(), lease.token());
    }
}
