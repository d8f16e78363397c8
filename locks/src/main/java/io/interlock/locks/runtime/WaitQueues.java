package io.interlock.locks.runtime;

import io.interlock.spi.ChangeFeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The waiters of this process: a queue for each thing that is waited for, and none for any other. Only the first of a queue asks the
 * store, when a wake-up comes and from time to time anyway, one question at a time; the others wait behind it in the order they came. So
 * thousands of waiters cost the store no more than one, and take no thread. Safe for use by many threads.
 *
 * @param <A> the answer to a waiter that has to go on waiting
 */
public final class WaitQueues<K, A> {

    /** As a pause: the first asks when a wake-up comes, or the poll is due. */
    public static final Duration NEXT_POLL = Duration.ofDays(3650);

    private static final Logger log = LoggerFactory.getLogger(WaitQueues.class);

    private final Poller.Pace pace;
    private final Executor listening;
    private final WakeUps<K, A> wakeUps;
    private final Map<K, Queue> queues = new ConcurrentHashMap<>();
    private final AtomicLong tickets = new AtomicLong();

    /** Where a queue gets its wake-ups from. */
    @FunctionalInterface
    public interface WakeUps<K, A> {

        /** Runs {@code look} when {@code about} may have changed, of which {@code known} is the last answer. May block. */
        ChangeFeed.Subscription watch(K about, A known, Runnable look);
    }

    /** A waiter, with its place in the order of arrival. */
    public abstract static class Waiter<A> {

        private final long ticket;

        protected Waiter(long ticket) {
            this.ticket = ticket;
        }

        /**
         * Asks once, without blocking and without failing; {@code null} if it may not ask, because its last question is under way or
         * its wait is over. Then it loses its place, and the next one asks.
         */
        protected abstract @Nullable CompletionStage<Next<A>> ask();
    }

    /**
     * How a queue goes on after its first has asked.
     *
     * @param settled runs once the waiter has lost its place; {@code null} if it goes on waiting
     * @param pause until the first asks again, at most; {@code null} for at once
     * @param answer what the store answered, or {@code null} if it is of no use to the others
     */
    public record Next<A>(
            @Nullable Runnable settled,
            @Nullable Duration pause,
            @Nullable A answer) {}

    /**
     * No queues yet.
     *
     * @param listening where {@code wakeUps} is called
     */
    public WaitQueues(Poller.Pace pace, Executor listening, WakeUps<K, A> wakeUps) {
        this.pace = pace;
        this.listening = listening;
        this.wakeUps = wakeUps;
    }

    /** A place behind all that were given before. */
    public long ticket() {
        return tickets.incrementAndGet();
    }

    public boolean isWaitedFor(K about) {
        return queues.containsKey(about);
    }

    /** The last answer to a waiter for {@code about}, or {@code null}. */
    public @Nullable A lastAnswer(K about) {
        Queue queue = queues.get(about);
        return queue == null ? null : queue.lastAnswer();
    }

    /** The waiters for {@code about}, in their order. */
    public List<Waiter<A>> waiters(K about) {
        Queue queue = queues.get(about);
        return queue == null ? List.of() : queue.all();
    }

    /**
     * Puts {@code waiter} into the queue.
     *
     * @param known the answer it got, or {@code null} if it has not asked
     */
    public void join(Waiter<A> waiter, K about, @Nullable A known) {
        Queue queue = queues.computeIfAbsent(about, Queue::new);
        while (!queue.join(waiter, known)) {
            // It has just ended.
            queues.remove(about, queue);
            queue = queues.computeIfAbsent(about, Queue::new);
        }
    }

    /** Takes {@code waiter} out. If it was the first, the next one asks. */
    public void leave(Waiter<A> waiter, K about) {
        Queue queue = queues.get(about);
        if (queue != null) {
            queue.leave(waiter);
        }
    }

    /** Something may have changed: the first in the queue asks. */
    public void wake(K about) {
        Queue queue = queues.get(about);
        if (queue != null) {
            queue.poller.look();
        }
    }

    /** The waiters for one thing. It ends with the last of them. */
    private final class Queue {

        private final K about;
        private final Poller poller;
        private final TreeSet<Waiter<A>> waiters = new TreeSet<>(Comparator.comparingLong(waiter -> waiter.ticket));
        private @Nullable A lastAnswer;
        private boolean listens;
        private boolean deaf;
        private boolean retired;

        Queue(K about) {
            this.about = about;
            this.poller = new Poller(pace, this::look);
        }

        boolean join(Waiter<A> waiter, @Nullable A known) {
            boolean first;
            synchronized (this) {
                if (retired) {
                    return false;
                }
                waiters.add(waiter);
                first = waiters.first().equals(waiter);
            }
            boolean looksWhenItListens = known != null && learn(known, true);
            if (!looksWhenItListens && (first || known == null)) {
                poller.look();
            }
            return true;
        }

        void leave(Waiter<A> waiter) {
            boolean first;
            synchronized (this) {
                first = !waiters.isEmpty() && waiters.first().equals(waiter);
                waiters.remove(waiter);
            }
            if (!retireIfEmpty() && first) {
                poller.look();
            }
        }

        synchronized @Nullable A lastAnswer() {
            return lastAnswer;
        }

        synchronized List<Waiter<A>> all() {
            return new ArrayList<>(waiters);
        }

        private synchronized @Nullable Waiter<A> first() {
            return waiters.isEmpty() ? null : waiters.first();
        }

        private void look() {
            for (Waiter<A> first = first(); first != null; first = first()) {
                CompletionStage<Next<A>> asked = ask(first);
                if (asked != null) {
                    Waiter<A> asking = first;
                    asked.whenComplete((next, failure) -> looked(asking, failure == null ? next : failed(failure)));
                    return;
                }
                remove(first);
            }
            if (!retireIfEmpty()) {
                poller.looked(null);
            }
        }

        private @Nullable CompletionStage<Next<A>> ask(Waiter<A> waiter) {
            try {
                return waiter.ask();
            } catch (RuntimeException | Error failure) {
                return CompletableFuture.failedFuture(failure);
            }
        }

        // It should not happen. If it does, the others behind it must not wait for ever.
        private Next<A> failed(Throwable failure) {
            log.error("a waiter could not ask; retrying", failure);
            return new Next<>(null, NEXT_POLL, null);
        }

        private void looked(Waiter<A> asking, Next<A> next) {
            boolean hasLeft;
            synchronized (this) {
                hasLeft = !waiters.contains(asking);
                if (next.settled() != null) {
                    waiters.remove(asking);
                }
            }
            if (next.settled() != null) {
                next.settled().run();
            }
            if (retireIfEmpty()) {
                return;
            }
            if (next.answer() != null) {
                learn(next.answer(), false);
            }
            poller.looked(hasLeft ? null : next.pause());
        }

        private synchronized void remove(Waiter<A> waiter) {
            waiters.remove(waiter);
        }

        // It listens as soon as it knows what it waits for, and looks then: that look sees what happened before.
        // Returns whether it began to listen. If the store cannot be listened to, it is tried again with the next
        // answer.
        private boolean learn(A answer, boolean looksInAnyCase) {
            synchronized (this) {
                lastAnswer = answer;
                if (listens) {
                    return false;
                }
                listens = true;
            }
            try {
                // The caller may be an event loop, and a store may take its time to begin to listen.
                listening.execute(() -> listen(answer, looksInAnyCase));
            } catch (RuntimeException | Error noThread) {
                deaf(noThread, looksInAnyCase);
            }
            return true;
        }

        private void listen(A answer, boolean looksInAnyCase) {
            try {
                poller.listen(look -> wakeUps.watch(about, answer, look));
            } catch (RuntimeException | Error failure) {
                deaf(failure, looksInAnyCase);
            }
        }

        private void deaf(Throwable failure, boolean looksInAnyCase) {
            boolean known;
            synchronized (this) {
                listens = false;
                known = deaf;
                deaf = true;
            }
            // Without what is waited for: a lease id may be in it, which is a secret of its holder.
            log.atLevel(known ? Level.DEBUG : Level.WARN).log("no wake-ups, only polls: {}", failure.toString());
            if (looksInAnyCase) {
                poller.look();
            }
        }

        private boolean retireIfEmpty() {
            synchronized (this) {
                if (!waiters.isEmpty()) {
                    return false;
                }
                retired = true;
            }
            queues.remove(about, this);
            poller.end();
            return true;
        }
    }
}
