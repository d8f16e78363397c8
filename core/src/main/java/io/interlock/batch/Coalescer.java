package io.interlock.batch;

import io.interlock.InvalidSettingException;
import io.interlock.batch.Item.Outcome;
import io.interlock.spi.Answers;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Combines the concurrent calls of one process into batches, of which several may be in flight at once.
 *
 * <p>A caller that finds no batch in flight leads one at once: it makes one call for all requests of the batch on its
 * own
 * thread. Otherwise its request waits, and goes with the batch of another caller or leads one itself. Once the
 * requests of its batch are settled, a leader hands the lead to the first waiting request. So no caller serves others
 * for ever, and none waits for a batch to fill: the first waiting request waits at most for the batches in flight to
 * end.
 *
 * <p>Further batches, up to {@code maxInFlight}, start in parallel when enough requests wait for a batch of similar
 * size, and each takes its share of the requests. So several batches of similar size are in flight, rather than a
 * large one and others with one request each, which would cost the store more than they save. Requests with a key in
 * common are never in two batches in flight, where they would wait for each other in the store, and they keep their
 * order.
 *
 * <p>A request that the step leaves open, and every request of a failed batch of more than one, is repeated alone on
 * its caller's thread. So no caller is affected by another's error or locked row; requests must be repeatable.
 *
 * <p>It has no threads of its own. Thread-safe.
 *
 * @param <Q> the requests
 * @param <A> the answers
 */
public final class Coalescer<Q, A> {

    private static final int STACK_FRAMES = 200;

    private final Function<List<Q>, Answers<A>> step;
    private final Function<? super Q, ? extends Collection<?>> keys;
    private final Executor executor;
    private final PendingRequests<Q, A> line;

    /**
     * A coalescer in front of {@code step}.
     *
     * @param step answers a batch, in its order; several threads call it at once if {@code maxInFlight} is more than 1
     * @param keys the keys of a request: at least one, with {@code equals} and {@code hashCode}
     * @param maxBatch the largest batch
     * @param maxInFlight how many batches may be in flight at once
     * @param executor runs {@linkplain #submit submitted} requests that lead or run alone
     */
    public Coalescer(
            Function<List<Q>, Answers<A>> step,
            Function<? super Q, ? extends Collection<?>> keys,
            int maxBatch,
            int maxInFlight,
            Executor executor) {
        this(step, keys, maxBatch, maxInFlight, false, executor);
    }

    private Coalescer(
            Function<List<Q>, Answers<A>> step,
            Function<? super Q, ? extends Collection<?>> keys,
            int maxBatch,
            int maxInFlight,
            boolean gathers,
            Executor executor) {
        if (maxBatch < 1) {
            throw new InvalidSettingException("maxBatch", maxBatch, "must be at least 1", "500 suits most stores");
        }
        if (maxInFlight < 1) {
            throw new InvalidSettingException(
                    "maxInFlight", maxInFlight, "must be at least 1", "1 suits a store that writes one at a time");
        }
        this.step = step;
        this.keys = keys;
        this.executor = executor;
        this.line = new PendingRequests<>(maxBatch, maxInFlight, gathers);
    }

    /**
     * Like the constructor, for a step that costs the store little more for many requests than for one: all waiting
     * requests go together. A further batch starts only beside batches of one request, which may wait for a row that
     * another process has locked; larger batches leave such requests open.
     */
    public static <Q, A> Coalescer<Q, A> gathering(
            Function<List<Q>, Answers<A>> step,
            Function<? super Q, ? extends Collection<?>> keys,
            int maxBatch,
            int maxInFlight,
            Executor executor) {
        return new Coalescer<>(step, keys, maxBatch, maxInFlight, true, executor);
    }

    /** Like the constructor, for a step that leaves no request open. */
    public static <Q, A> Coalescer<Q, A> answeringAll(
            Function<List<Q>, List<A>> step,
            Function<? super Q, ? extends Collection<?>> keys,
            int maxBatch,
            int maxInFlight,
            Executor executor) {
        return new Coalescer<>(requests -> Answers.of(step.apply(requests)), keys, maxBatch, maxInFlight, executor);
    }

    /**
     * Sends a request and waits for the answer. An interrupt has no effect on the wait; the flag is set again before
     * this returns.
     */
    public A call(Q request) {
        reserveStack(STACK_FRAMES);
        Waiting item = new Waiting(request);
        // An interrupt meant for the caller's work must not disturb a step in progress.
        item.interrupted = Thread.interrupted();
        try {
            join(item);
            if (item.awaitLeadOrOutcome()) {
                lead(item);
            }
            Outcome<A> outcome = item.outcome();
            return outcome.alone() ? alone(request) : outcome.get();
        } finally {
            if (item.interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Sends a request without waiting. The answer may arrive on the thread of any caller, so dependent actions must be
     * quick or run elsewhere.
     */
    public CompletionStage<A> submit(Q request) {
        Submitted item = new Submitted(request);
        join(item);
        // A view, so that callers cannot complete a request that the leader still processes.
        return item.answer.minimalCompletionStage();
    }

    private A alone(Q request) {
        return step.apply(List.of(request)).only();
    }

    /** Serves the batch of {@code own}, then hands over the lead. Only {@link #handOver} makes a request lead, once. */
    private void lead(Item<Q, A> own) {
        List<Item<Q, A>> batch = List.of(own);
        try {
            batch = line.batchOf(own);
            serve(batch);
        } finally {
            line.end(batch);
            handOver();
        }
    }

    // A caller about to overflow its stack does so here, before others depend on it: as a leader it would keep the
    // lead, and all others would wait for ever.
    private static int reserveStack(int frames) {
        return frames == 0 ? 0 : 1 + reserveStack(frames - 1);
    }

    private void join(Item<Q, A> item) {
        if (line.join(item)) {
            handOver();
        }
    }

    private void serve(List<Item<Q, A>> batch) {
        Answers<A> answers = null;
        Throwable failure = null;
        try {
            answers = step.apply(batch.stream().map(item -> item.request).toList());
            if (answers.size() != batch.size()) {
                failure = new IllegalStateException(
                        "a batch of " + batch.size() + " got " + answers.size() + " answers; each needs one");
            }
        } catch (Throwable thrown) {
            // Any Throwable, because the other requests of the batch wait for an outcome.
            failure = thrown;
        }
        for (int i = 0; i < batch.size(); i++) {
            batch.get(i).settle(outcome(i, batch.size(), answers, failure));
        }
    }

    private static <A> Outcome<A> outcome(
            int index, int size, @Nullable Answers<A> answers, @Nullable Throwable failure) {
        if (failure != null || answers == null) {
            return size > 1 || failure == null ? Outcome.again() : Outcome.failed(failure);
        }
        return answers.isOpen(index) ? Outcome.again() : Outcome.answered(answers.get(index));
    }

    // Called after everything that can let a request lead: a request joined, a batch ended. The pending requests
    // choose the leader under their monitor, so a concurrent change leaves no request behind.
    private void handOver() {
        for (Item<Q, A> next = line.nextLeader(); next != null; next = line.nextLeader()) {
            try {
                next.becomeLeader();
            } catch (RuntimeException | Error noThread) {
                // The executor is closed or out of threads: this request cannot lead, so another one must.
                line.end(List.of(next));
                next.settle(Outcome.failed(noThread));
            }
        }
    }

    /** A request whose caller waits, and leads on its own thread. */
    private final class Waiting extends Item<Q, A> {

        private final Thread caller = Thread.currentThread();
        private volatile boolean leads;
        private volatile @Nullable Outcome<A> outcome;
        private boolean interrupted;

        Waiting(Q request) {
            super(request, Coalescer.this.keys.apply(request));
        }

        @Override
        void becomeLeader() {
            leads = true;
            LockSupport.unpark(caller);
        }

        @Override
        void settle(Outcome<A> outcome) {
            this.outcome = outcome;
            LockSupport.unpark(caller);
        }

        /** Waits until the request is settled or must lead; returns whether it must lead. */
        boolean awaitLeadOrOutcome() {
            while (!leads && outcome == null) {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
            }
            return leads;
        }

        Outcome<A> outcome() {
            return Objects.requireNonNull(outcome, "not settled yet");
        }
    }

    /** A request whose caller does not wait; it leads on the executor. */
    private final class Submitted extends Item<Q, A> {

        private final CompletableFuture<A> answer = new CompletableFuture<>();

        Submitted(Q request) {
            super(request, Coalescer.this.keys.apply(request));
        }

        @Override
        void becomeLeader() {
            executor.execute(() -> lead(this));
        }

        @Override
        void settle(Outcome<A> outcome) {
            if (!outcome.alone()) {
                complete(outcome::get);
                return;
            }
            try {
                executor.execute(() -> complete(() -> alone(request)));
            } catch (RuntimeException | Error noThread) {
                answer.completeExceptionally(noThread);
            }
        }

        private void complete(Supplier<A> source) {
            try {
                answer.complete(source.get());
            } catch (Throwable failure) {
                answer.completeExceptionally(failure);
            }
        }
    }
}
