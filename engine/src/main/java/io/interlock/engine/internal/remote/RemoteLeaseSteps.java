package io.interlock.engine.internal.remote;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.engine.EngineClosedException;
import io.interlock.engine.RemoteLeases;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.internal.runtime.Batches;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.wait.LongPolls;
import io.interlock.engine.internal.wait.WaitScheduler;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Passes the steps of holders in other processes on. */
public final class RemoteLeaseSteps implements RemoteLeases {

    private final LeaseStore store;
    private final WaitScheduler waits;
    private final Batches.Runs batches;
    private final EngineEvents events;
    private final LongPolls<LockKey, Acquired> acquires;

    public RemoteLeaseSteps(LeaseStore store, WaitScheduler waits, Batches.Runs batches, EngineEvents events) {
        this.store = store;
        this.waits = waits;
        this.batches = batches;
        this.events = events;
        this.acquires = LongPolls.own(
                waits,
                answer -> answer instanceof Acquired.Granted,
                (key, refused, look) -> store.changes().watch(key, look));
    }

    @Override
    public CompletionStage<Acquired> acquire(LockKey key, RemoteWork.Caller caller, LeaseTerms terms, Duration wait) {
        waits.requireOpen();
        AcquireRequest once = AcquireRequest.of(key, caller.lease(), caller.holder(), terms.ttl())
                .on(terms.within(maxLease()));
        AcquireRequest request = wait.isZero() ? once : once.waiting();
        return acquires.within(
                key, wait, () -> batches.acquires().submit(request).thenApply(RemoteLeaseSteps::answered));
    }

    @Override
    public CompletionStage<Boolean> awaitFree(LockKey key, Duration wait) {
        waits.requireOpen();
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        CompletionStage<Boolean> stage = over;
        Timers.Scheduled limit = waits.after(wait, () -> over.complete(false));
        Timers.Scheduled closing = waits.onClose(() -> over.completeExceptionally(new EngineClosedException()));
        stage.whenComplete((done, failure) -> {
            limit.cancel();
            closing.cancel();
        });
        // Listens first, then looks: what happens in between is not missed.
        waits.call(() -> {
                    ChangeFeed.Subscription feed = store.changes().watch(key, () -> over.complete(true));
                    stage.whenComplete((done, failure) -> feed.close());
                    return store.find(List.of(key)).get(0).filter(LeaseRecord::isLive);
                })
                .whenComplete((lease, failure) -> {
                    if (failure != null) {
                        over.completeExceptionally(failure);
                    } else if (lease.isEmpty()) {
                        over.complete(true);
                    }
                });
        return stage;
    }

    @Override
    public CompletionStage<Renewed> renew(LockKey key, LeaseId lease, FencingToken token, Duration ttl) {
        LeaseTerms terms = LeaseTerms.of(ttl).within(maxLease());
        RenewRequest request = new RenewRequest(key, lease, token, terms.ttl());
        return batches.renewals().submit(request).thenApply(answer -> {
            if (answer instanceof RenewAnswer.Renewed renewed) {
                return new Renewed.Lives(renewed.lease());
            }
            RenewAnswer.Lost lost = (RenewAnswer.Lost) answer;
            return new Renewed.Lost(lost.cause(), lost.current());
        });
    }

    @Override
    public CompletionStage<Released> release(LockKey key, LeaseId lease, FencingToken token) {
        ReleaseRequest request = new ReleaseRequest(key, lease, token);
        return batches.releases().submit(request).thenApply(answer -> {
            events.workAppeared();
            if (answer instanceof ReleaseAnswer.Lapsed lapsed) {
                return new Released(
                        true,
                        Optional.empty(),
                        lapsed.ended().eviction() != null ? LossCause.EVICTED : LossCause.EXPIRED);
            }
            return answer instanceof ReleaseAnswer.Gone gone
                    ? new Released(false, Optional.ofNullable(gone.current()), LossCause.GONE)
                    : new Released(true, Optional.empty(), null);
        });
    }

    @Override
    public CompletionStage<Optional<LeaseRecord>> find(LockKey key) {
        return waits.call(() -> store.find(List.of(key)).get(0));
    }

    private Duration maxLease() {
        return store.capabilities().maxLease();
    }

    private static Acquired answered(AcquireAnswer answer) {
        return answer instanceof AcquireAnswer.Granted granted
                ? new Acquired.Granted(granted.grants().get(0).lease())
                : new Acquired.Refused(((AcquireAnswer.Refused) answer).refusal());
    }
}
