package io.interlock.store.sqlite;

import io.interlock.EvictAnswer;
import io.interlock.LeasePage;
import io.interlock.LeaseQuery;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.UnsafeStoreException;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.EvictRequest;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import io.interlock.spi.TokenLayout;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The half of {@link SqliteStore} that is about leases. */
abstract class SqliteLeases implements LeaseStore {

    private static final Logger log = LoggerFactory.getLogger(SqliteLeases.class);

    final Lanes lanes;
    final DataVersionFeed feed;
    private final StoreCapabilities capabilities;

    SqliteLeases(Lanes lanes, DataVersionFeed feed, StoreCapabilities capabilities) {
        this.lanes = lanes;
        this.feed = feed;
        this.capabilities = capabilities;
    }

    @Override
    public StoreCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        requests.forEach(request -> request.terms().within(capabilities.maxLease()));
        return Answers.of(lanes.lookThenWriteEach(requests, (step, request) -> new LeaseStep(step).acquire(request)));
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        requests.forEach(request -> LeaseTerms.of(request.ttl()).within(capabilities.maxLease()));
        return Answers.of(lanes.renewEach(requests, (step, request) -> new LeaseStep(step).renew(request)));
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        List<ReleaseAnswer> answers =
                lanes.writeEach(requests, (step, request) -> new LeaseStep(step).release(request));
        feed.wake(requests.stream().map(ReleaseRequest::key).toList());
        return Answers.of(answers);
    }

    @Override
    public EvictAnswer evict(EvictRequest request) {
        return lanes.write(step -> new LeaseStep(step).evict(request));
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        return lanes.look(step -> {
            List<@Nullable StoredLease> found = new ArrayList<>();
            for (LockKey key : keys) {
                found.add(step.lease(key));
            }
            return found.stream()
                    .map(lease -> Optional.ofNullable(lease).map(there -> there.seenAt(step.now())))
                    .toList();
        });
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        return lanes.look(step -> {
            List<LeaseRecord> found = step.leases().list(query, step.now()).stream()
                    .map(lease -> lease.seenAt(step.now()))
                    .toList();
            return LeasePage.of(found, query.limit());
        });
    }

    @Override
    public List<LeaseRecord> sweep(int limit) {
        List<LeaseRecord> cleared = lanes.lookThenWrite(step -> new LeaseStep(step).sweep(limit));
        feed.wake(cleared.stream().map(LeaseRecord::key).toList());
        return cleared;
    }

    @Override
    public Instant bumpEpoch(String reason) {
        StoreState state = lanes.write(step -> {
            StoreState bumped = step.bumpEpoch();
            if (bumped.tokens().epoch() > TokenLayout.MAX_EPOCH) {
                throw new UnsafeStoreException(
                        capabilities.store(),
                        "has used all " + TokenLayout.MAX_EPOCH + " epochs, the last of them now",
                        "move to another store");
            }
            return bumped;
        });
        Instant quietUntil = Micros.moment(state.quietUntil());
        log.warn(
                "store {}: epoch {} begins, nothing is granted until {}: {}",
                capabilities.store(),
                state.tokens().epoch(),
                quietUntil,
                reason);
        return quietUntil;
    }

    @Override
    public ChangeFeed changes() {
        return feed;
    }

    @Override
    public void close() {
        feed.close();
        lanes.close();
    }
}
