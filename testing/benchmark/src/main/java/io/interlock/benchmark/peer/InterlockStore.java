package io.interlock.benchmark.peer;

import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.spi.Stores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Interlock's store by its contract: for leases that are held by a process that does nothing else, or is dead. */
public final class InterlockStore implements AutoCloseable {

    // As many as the lock library renews in one call.
    private static final int BATCH = 500;

    private final LeaseStore store;
    private final Holder holder = new Holder(UUID.randomUUID().toString(), "bench");

    private InterlockStore(LeaseStore store) {
        this.store = store;
    }

    /** Opens it. */
    public static InterlockStore open(PostgresAddress address) {
        return new InterlockStore(Stores.open(address.storeUrl()));
    }

    /** Takes keys that are free, for {@code ttl}, and does not renew them. */
    public List<LeaseRecord> take(List<String> keys, Duration ttl) {
        List<LeaseRecord> leases = new ArrayList<>();
        for (int from = 0; from < keys.size(); from += BATCH) {
            List<AcquireRequest> batch = keys.subList(from, Math.min(keys.size(), from + BATCH)).stream()
                    .map(key -> AcquireRequest.of(LockKey.of(key), new LeaseId(UUID.randomUUID()), holder, ttl))
                    .toList();
            Answers<AcquireAnswer> answers = store.tryAcquire(batch);
            for (int i = 0; i < batch.size(); i++) {
                AcquireAnswer answer = answers.isOpen(i)
                        ? store.tryAcquire(List.of(batch.get(i))).only()
                        : answers.get(i);
                if (!(answer instanceof AcquireAnswer.Granted granted)) {
                    throw new IllegalStateException(batch.get(i).keys() + " should be free");
                }
                leases.add(granted.grants().get(0).lease());
            }
        }
        return leases;
    }

    /** Renews all, as many in one call as the lock library does. */
    public void renew(List<LeaseRecord> leases, Duration ttl) {
        for (int from = 0; from < leases.size(); from += BATCH) {
            List<RenewRequest> batch = leases.subList(from, Math.min(leases.size(), from + BATCH)).stream()
                    .map(lease -> new RenewRequest(lease.key(), lease.id(), lease.token(), ttl))
                    .toList();
            Answers<RenewAnswer> answers = store.renew(batch);
            for (int i = 0; i < batch.size(); i++) {
                RenewAnswer answer =
                        answers.isOpen(i) ? store.renew(List.of(batch.get(i))).only() : answers.get(i);
                if (!(answer instanceof RenewAnswer.Renewed)) {
                    throw new IllegalStateException(batch.get(i).key() + " was lost: " + answer);
                }
            }
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
