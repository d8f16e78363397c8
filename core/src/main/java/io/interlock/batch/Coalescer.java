package io.interlock.batch;

import io.interlock.InvalidSettingException;
import io.interlock.spi.Answers;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Turns the concurrent calls of one process into batches.
 *
 * <p>Whoever finds nobody leading leads: it takes what has gathered, its own request among it, and makes one call for all of
 * them on its own thread. Once its own request is settled it hands the lead to the first in line, so nobody works for
 * others for ever, and nobody waits for a batch to fill.
 *
 * <p>A request the step leaves open, and every request of a batch of more than one that fails, is made again, alone, with
 * the same request and on its own caller's thread. So no caller suffers for another's error or slow row; the step must
 * allow a request to be repeated.
 *
 * <p>It has no threads. Safe for use by many threads.
 *
 * @param <Q> what is asked
 * @param <A> what is answered
 */
public final class Coalescer<Q, A> {

    private static final int STACK_FRAMES = 200;

    private final Function<List<Q>, Answers<A>> step;
    private final int maxBatch;
    private final Executor executor;
    private final Queue<Item<Q, A>> line = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean led = new AtomicBoolean();

    /**
     * A coalescer in front of {@code step}.
     *
     * @param step answers a batch, in its order
     * @param maxBatch the largest batch
     * @param executor where {@linkplain #submit submitted} requests lead or run alone
     */
    public Coalescer(Function<List<Q>, Answers<A>> step, int maxBatch, Executor executor) {
        if (maxBatch < 1) {
            throw new InvalidSettingException("maxBatch", maxBatch, "must be at least 1", "500 suits most stores");
        }
        this.step = step;
        this.maxBatch = maxBatch;
        this.executor = executor;
    }

    /**
     * Asks, and waits for the answer. An interrupt has no effect on the wait; the flag is set again before this returns.
     */
    public A call(Q request) {
        reserveStack(STACK_FRAMES);
        WaitingItem<Q, A> item = new WaitingItem<>(request);
        line.add(item);
        if (led.compareAndSet(false, true)) {
            item.becomeLeader();
        }
        // A step under way must not be disturbed by an interrupt meant for the work around it.
        boolean interrupted = Thread.interrupted();
        try {
            if (item.awaitLeadOrVerdict()) {
                lead(item);
            }
            Verdict<A> verdict = item.verdict();
            return verdict.alone() ? alone(request) : verdict.get();
        } finally {
            interrupted |= item.wasInterrupted();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Asks without waiting. The answer may arrive on the thread of any caller, so whatever depends on it must be quick or
     * run elsewhere.
     */
    public CompletionStage<A> submit(Q request) {
        SubmittedItem<Q, A> item = new SubmittedItem<>(request, this);
        line.add(item);
        if (led.compareAndSet(false, true)) {
            handOver();
        }
        return item.answer();
    }

    /** Makes one request, by itself. */
    A alone(Q request) {
        return step.apply(List.of(request)).only();
    }

    /** Runs {@code task} where submitted requests run. */
    void elsewhere(Runnable task) {
        executor.execute(task);
    }

    /** Serves batches until {@code own} is settled, then lets the next one lead. Only the leader may call it. */
    void lead(Item<Q, A> own) {
        try {
            while (!own.isSettled()) {
                serve();
            }
        } finally {
            handOver();
        }
    }

    // A caller about to overflow its stack does so here, while nobody depends on it: as a leader it would take the lead
    // with it, and all others would wait for ever.
    private static int reserveStack(int frames) {
        return frames == 0 ? 0 : 1 + reserveStack(frames - 1);
    }

    private void serve() {
        List<Item<Q, A>> batch = new ArrayList<>();
        List<Q> requests = new ArrayList<>();
        for (Item<Q, A> item = line.poll(); item != null; item = line.poll()) {
            batch.add(item);
            requests.add(item.request());
            if (batch.size() == maxBatch) {
                break;
            }
        }
        Answers<A> answers = null;
        Throwable failure = null;
        try {
            answers = step.apply(List.copyOf(requests));
            if (answers.size() != batch.size()) {
                failure = new IllegalStateException(
                        "a batch of " + batch.size() + " got " + answers.size() + " answers; each needs one");
            }
        } catch (Throwable thrown) {
            // Whatever it is, also one that is checked elsewhere: those in the batch wait for a verdict.
            failure = thrown;
        }
        for (int i = 0; i < batch.size(); i++) {
            batch.get(i).settle(verdict(i, batch.size(), answers, failure));
        }
    }

    private static <A> Verdict<A> verdict(
            int index, int size, @Nullable Answers<A> answers, @Nullable Throwable failure) {
        if (failure != null || answers == null) {
            return size > 1 || failure == null ? Verdict.again() : Verdict.failed(failure);
        }
        return answers.isOpen(index) ? Verdict.again() : Verdict.answered(answers.get(index));
    }

    // Only the leader takes from the line, so the first in line stays the first until it leads.
    private void handOver() {
        while (true) {
            Item<Q, A> next = line.peek();
            if (next == null) {
                led.set(false);
                // Somebody may have joined after the look and found us still leading: it must not be left behind.
                if (line.isEmpty() || !led.compareAndSet(false, true)) {
                    return;
                }
            } else {
                try {
                    next.becomeLeader();
                    return;
                } catch (RuntimeException | Error noThread) {
                    // Closed, or out of threads: then it leads no more, and somebody else must.
                    line.poll();
                    next.settle(Verdict.failed(noThread));
                }
            }
        }
    }
}
