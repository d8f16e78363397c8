package io.interlock.engine.internal.remote;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.engine.RemoteLeases;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.internal.runtime.Batches;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.wait.LongPolls;
import io.interlock.engine.internal.wait.WaitScheduler;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import io.interlock.spi.run.RunStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Passes the steps of holders in other processes on. */
public final class RemoteLeaseSteps implements RemoteLeases {

    private final RunStore store;
    private final WaitScheduler waits;
    private final Batches.Runs batches;
    private final EngineEvents events;
    private final LongPolls<LockKey, Acquired> acquires;

    public RemoteLeaseSteps(RunStore store, WaitScheduler waits, Batches.Runs batches, EngineEvents events) {
        this.store = store;
        this.waits = waits;
        this.batches = batches;
        this.events = events;
        this.acquires = new LongPolls<>(
                waits,
                answer -> answer instanceof Acquired.Granted,
                (key, refused, look) -> store.changes().watch(key, look));
    }

    @Override
    public CompletionStage<Acquired> acquire(LockKey key, RemoteWork.Caller caller, Duration ttl, Duration wait) {
        waits.requireOpen();
        LeaseTerms terms = LeaseTerms.of(ttl).within(maxLease());
        AcquireRequest once =
                AcquireRequest.of(key, caller.lease(), caller.holder(), ttl).on(terms);
        AcquireRequest request = wait.isZero() ? once : once.waiting();
        return acquires.within(
                key, wait, () -> batches.acquires().submit(request).thenApply(RemoteLeaseSteps::answered));
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
            return answer instanceof ReleaseAnswer.Gone gone
                    ? new Released(false, gone.current())
                    : new Released(true, null);
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
