package io.interlock.batch;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A request whose caller does not wait; it leads on the coalescer's executor.
 *
 * @param <Q> the requests
 * @param <A> the answers
 */
final class SubmittedItem<Q, A> implements Item<Q, A> {

    private final Q request;
    private final Collection<?> keys;
    private final Coalescer<Q, A> home;
    private final CompletableFuture<A> answer = new CompletableFuture<>();

    SubmittedItem(Q request, Collection<?> keys, Coalescer<Q, A> home) {
        this.request = request;
        this.keys = keys;
        this.home = home;
    }

    @Override
    public Q request() {
        return request;
    }

    @Override
    public Collection<?> keys() {
        return keys;
    }

    @Override
    public void becomeLeader() {
        home.elsewhere(() -> home.lead(this));
    }

    @Override
    public void settle(BatchOutcome<A> verdict) {
        if (!verdict.alone()) {
            complete(verdict::get);
            return;
        }
        try {
            home.elsewhere(() -> complete(() -> home.alone(request)));
        } catch (RuntimeException | Error noThread) {
            answer.completeExceptionally(noThread);
        }
    }

    // A view, so that callers cannot complete a request that the leader still processes.
    CompletionStage<A> answer() {
        return answer.minimalCompletionStage();
    }

    private void complete(Supplier<A> source) {
        try {
            answer.complete(source.get());
        } catch (Throwable failure) {
            answer.completeExceptionally(failure);
        }
    }
}
