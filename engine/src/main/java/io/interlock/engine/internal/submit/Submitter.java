package io.interlock.engine.internal.submit;

import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.locks.runtime.Futures;
import io.interlock.run.Execution;
import io.interlock.spi.run.SubmitRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Submits runs: prepares the request, asks the store, and says what came of it. Safe for use by many threads. */
public final class Submitter {

    private final OpenRunLimit limit;
    private final SubmitRequests requests;
    private final SubmitAttempts attempts;
    private final SubmitOutcomes outcomes;

    public Submitter(OpenRunLimit limit, SubmitRequests requests, SubmitAttempts attempts, SubmitOutcomes outcomes) {
        this.limit = limit;
        this.requests = requests;
        this.attempts = attempts;
        this.outcomes = outcomes;
    }

    public Submission submit(RunRequest request) {
        SubmitRequests.Prepared prepared = prepare(request, null);
        return prepared.retry().times() > 0
                ? Futures.done(submit(prepared))
                : attempts.once(prepared.request(), (answer, before) -> outcomes.of(prepared, answer, before));
    }

    public CompletionStage<Submission> submitAsync(RunRequest request) {
        return submit(prepare(request, null));
    }

    public CompletionStage<Submission> submitAsync(RunRequest request, RemoteWork.Caller caller) {
        RunRequest byCaller = request.execution(Execution.CALLER);
        return submit(prepare(byCaller, new SubmitRequest.Caller(caller.lease(), caller.holder())));
    }

    private SubmitRequests.Prepared prepare(RunRequest request, SubmitRequest.@Nullable Caller remote) {
        limit.admit(request.key().tenant());
        return requests.prepare(request, remote);
    }

    private CompletableFuture<Submission> submit(SubmitRequests.Prepared prepared) {
        return attempts.begin(
                prepared.request(),
                prepared.retry(),
                prepared.remote(),
                (answer, before) -> outcomes.of(prepared, answer, before));
    }
}
