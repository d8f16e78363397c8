package io.interlock.tck;

import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.StoreCapabilities;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Records all calls, and forwards them unchanged. */
public final class RecordingStore implements LeaseStore {

    private final LeaseStore store;
    private final History history;
    private final AtomicInteger watchers = new AtomicInteger();

    /** Records the calls of {@code store} in {@code history}. */
    public RecordingStore(LeaseStore store, History history) {
        this.store = store;
        this.history = history;
    }

    /** How many subscriptions to the change feed are open. */
    public int watchers() {
        return watchers.get();
    }

    @Override
    public StoreCapabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        long begun = history.begin();
        Answers<AcquireAnswer> answers = clear(
                () -> store.tryAcquire(requests),
                failure -> requests.forEach(request ->
                        request.keys().forEach(key -> unclear(begun, Event.Step.ACQUIRE, key, request.id(), failure))));
        for (int i = 0; i < answers.size(); i++) {
            AcquireRequest request = requests.get(i);
            if (!answers.isOpen(i) && answers.get(i) instanceof AcquireAnswer.Granted granted) {
                history.add(begun, span -> new Event.Granted(span, request, granted.grants()));
            }
        }
        return answers;
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        long begun = history.begin();
        Answers<RenewAnswer> answers = clear(
                () -> store.renew(requests),
                failure -> requests.forEach(
                        request -> unclear(begun, Event.Step.RENEW, request.key(), request.id(), failure)));
        for (int i = 0; i < answers.size(); i++) {
            if (!answers.isOpen(i) && answers.get(i) instanceof RenewAnswer.Renewed renewed) {
                history.add(begun, span -> new Event.Renewed(span, renewed.lease()));
            }
        }
        return answers;
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        long begun = history.begin();
        Answers<ReleaseAnswer> answers = clear(
                () -> store.release(requests),
                failure -> requests.forEach(
                        request -> unclear(begun, Event.Step.RELEASE, request.key(), request.id(), failure)));
        for (int i = 0; i < answers.size(); i++) {
            if (!answers.isOpen(i)) {
                ended(answers.get(i)).ifPresent(lease -> history.add(begun, span -> new Event.Ended(span, lease)));
            }
        }
        return answers;
    }

    @Override
    public EvictAnswer evict(EvictRequest request) {
        long begun = history.begin();
        EvictAnswer answer = store.evict(request);
        if (answer instanceof EvictAnswer.Evicted evicted) {
            history.add(begun, span -> new Event.Evicted(span, evicted.victim()));
        }
        return answer;
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        return store.find(keys);
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        return store.list(query);
    }

    @Override
    public List<LeaseRecord> sweep(int limit) {
        long begun = history.begin();
        List<LeaseRecord> cleared = store.sweep(limit);
        cleared.forEach(lease -> history.add(begun, span -> new Event.Swept(span, lease)));
        return cleared;
    }

    @Override
    public Instant bumpEpoch(String reason) {
        return store.bumpEpoch(reason);
    }

    @Override
    public ChangeFeed changes() {
        ChangeFeed feed = store.changes();
        return (key, lookAgain) -> {
            ChangeFeed.Subscription subscription = feed.watch(key, lookAgain);
            watchers.incrementAndGet();
            AtomicBoolean open = new AtomicBoolean(true);
            return () -> {
                if (open.compareAndSet(true, false)) {
                    watchers.decrementAndGet();
                }
                subscription.close();
            };
        };
    }

    @Override
    public void close() {
        store.close();
    }

    @Override
    public String toString() {
        return store.toString();
    }

    private static Optional<LeaseRecord> ended(ReleaseAnswer answer) {
        if (answer instanceof ReleaseAnswer.Released released) {
            return Optional.of(released.ended());
        }
        return answer instanceof ReleaseAnswer.Lapsed lapsed ? Optional.of(lapsed.ended()) : Optional.empty();
    }

    private static <A> A clear(Supplier<A> call, Consumer<Throwable> ifUnclear) {
        try {
            return call.get();
        } catch (InvalidSettingException nothingDone) {
            throw nothingDone;
        } catch (RuntimeException | Error unclear) {
            ifUnclear.accept(unclear);
            throw unclear;
        }
    }

    private void unclear(long begun, Event.Step step, LockKey key, LeaseId id, Throwable failure) {
        history.add(begun, span -> new Event.Unclear(span, step, key, id, failure));
    }
}
