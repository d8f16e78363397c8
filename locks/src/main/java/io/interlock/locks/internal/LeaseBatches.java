package io.interlock.locks.internal;

import io.interlock.batch.Coalescer;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** The way to the store: one lane for acquires, one for releases, each of which gathers concurrent calls. */
final class LeaseBatches {

    private static final int MAX_BATCH = 500;

    private final LeaseStore store;
    private final Executor executor;
    private final Coalescer<AcquireRequest, AcquireAnswer> acquires;
    private final Coalescer<ReleaseRequest, ReleaseAnswer> releases;

    LeaseBatches(LeaseStore store, Executor executor) {
        this.store = store;
        this.executor = executor;
        int inFlight = store.capabilities().parallelBatches();
        this.acquires = new Coalescer<>(store::tryAcquire, AcquireRequest::keys, MAX_BATCH, inFlight, executor);
        this.releases =
                new Coalescer<>(store::release, request -> List.of(request.key()), MAX_BATCH, inFlight, executor);
    }

    AcquireAnswer acquire(AcquireRequest request) {
        return acquires.call(request);
    }

    CompletionStage<AcquireAnswer> acquireAsync(AcquireRequest request) {
        return acquires.submit(request);
    }

    List<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        return requests.size() == 1 ? List.of(releases.call(requests.get(0))) : releaseTogether(requests);
    }

    CompletionStage<List<ReleaseAnswer>> releaseAsync(List<ReleaseRequest> requests) {
        return requests.size() == 1
                ? releases.submit(requests.get(0)).thenApply(List::of)
                : CompletableFuture.supplyAsync(() -> releaseTogether(requests), executor);
    }

    // The keys of one lease make a batch already.
    private List<ReleaseAnswer> releaseTogether(List<ReleaseRequest> requests) {
        Answers<ReleaseAnswer> together = store.release(requests);
        List<ReleaseAnswer> answers = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            // Not through the coalescer: on a thread of the pool it would wait for a leader that waits for such a
            // thread.
            answers.add(
                    together.isOpen(i) ? store.release(List.of(requests.get(i))).only() : together.get(i));
        }
        return answers;
    }
}
