package io.interlock.engine.internal.submit;

import io.interlock.batch.Coalescer;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.internal.runtime.FutureFailures;
import io.interlock.engine.internal.wait.EngineLifecycle;
import io.interlock.engine.internal.wait.WaitScheduler;
import io.interlock.run.Execution;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.time.Moment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Submits runs: prepares the request, asks the store, and says what came of it. Safe for use by many threads. */
public final class Submitter {

    private final EngineLifecycle lifecycle;
    private final OpenRunLimit limit;
    private final SubmitRequests requests;
    private final Coalescer<SubmitRequest, SubmitAnswer> submits;
    private final SubmitOutcomes outcomes;
    private final WaitScheduler waits;
    private final Cancels cancels;

    public Submitter(
            EngineLifecycle lifecycle,
            OpenRunLimit limit,
            SubmitRequests requests,
            Coalescer<SubmitRequest, SubmitAnswer> submits,
            SubmitOutcomes outcomes,
            WaitScheduler waits,
            Cancels cancels) {
        this.lifecycle = lifecycle;
        this.limit = limit;
        this.requests = requests;
        this.submits = submits;
        this.outcomes = outcomes;
        this.waits = waits;
        this.cancels = cancels;
    }

    public Submission submit(RunRequest request) {
        SubmitRequests.Prepared prepared = prepare(request, null);
        if (prepared.retry().times() > 0) {
            try {
                return submit(prepared).join();
            } catch (CompletionException failure) {
                throw FutureFailures.unchecked(failure);
            }
        }
        Moment before = waits.now();
        return outcomes.of(prepared, submits.call(prepared.request()), before);
    }

    public CompletionStage<Submission> submitAsync(RunRequest request) {
        return submit(prepare(request, null));
    }

    public CompletionStage<Submission> submitAsync(RunRequest request, RemoteWork.Caller caller) {
        RunRequest byCaller = request.execution(Execution.CALLER);
        return submit(prepare(byCaller, new SubmitRequest.Caller(caller.lease(), caller.holder())));
    }

    private SubmitRequests.Prepared prepare(RunRequest request, SubmitRequest.@Nullable Caller remote) {
        lifecycle.requireOpen();
        limit.require(request.key().tenant());
        return requests.prepare(request, remote);
    }

    private CompletableFuture<Submission> submit(SubmitRequests.Prepared prepared) {
        // The code behind a remote call is ours: it is quick, and another thread would cost more than it does.
        Executor callbacks = prepared.remote() ? Runnable::run : waits::tell;
        return new SubmitAttempt(
                        waits,
                        submits,
                        cancels,
                        prepared.retry(),
                        prepared.request(),
                        callbacks,
                        (answer, before) -> outcomes.of(prepared, answer, before))
                .begin();
    }
}
