package io.interlock.engine.internal.wait;

import io.interlock.spi.ChangeFeed;
import io.interlock.time.Timers;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Those of this process who wait for the same, in the order they came. The first looks, when a wake-up comes and from time to time
 * anyway; whoever has its answer makes room for the next, who looks at once, for there may be more. One look at a time.
 *
 * @param <A> the kind of answer
 */
public final class PollLine<A> {

    private static final Logger log = LoggerFactory.getLogger(PollLine.class);

    private final WaitScheduler waits;
    private final Function<Runnable, ChangeFeed.Subscription> wakeUps;
    private final Judge<A> judge;
    private final Set<Waiter<A>> waiters = new LinkedHashSet<>();
    private boolean retired;
    private boolean listening;
    // Nobody looks before somebody listens.
    private boolean looking = true;
    private boolean again;
    private Timers.@Nullable Scheduled poll;
    private ChangeFeed.@Nullable Subscription heard;

    /** Says which answers will do, and hands them out. */
    interface Judge<A> {
        boolean isEnough(A answer);

        void settle(Waiter<A> waiter, @Nullable A answer, @Nullable Throwable failure);

        void retired(PollLine<A> line);
    }

    /**
     * Somebody who waits. Identity, not equality. It has one question under way at a time, and none after the answer that settles its
     * wait: what is granted to a question nobody heeds any more would be kept from everybody until its lease ends.
     */
    static final class Waiter<A> {
        private final Supplier<CompletionStage<A>> question;
        private final CompletableFuture<A> result = new CompletableFuture<>();
        private boolean asking;
        private boolean late;
        private boolean settled;

        Waiter(Supplier<CompletionStage<A>> question) {
            this.question = question;
        }

        CompletableFuture<A> result() {
            return result;
        }

        /** Its time is over: the next answer settles its wait, whatever it is. */
        synchronized void timeIsOver() {
            late = true;
        }

        /** Whether it may ask now; if so, it has to. */
        synchronized boolean beginsToAsk() {
            if (asking || settled || result.isDone()) {
                return false;
            }
            asking = true;
            return true;
        }

        CompletionStage<A> ask() {
            return question.get();
        }

        /** Has its answer: whether that settles its wait. */
        synchronized boolean answered(boolean enough) {
            asking = false;
            settled = enough || late;
            return settled;
        }
    }

    PollLine(WaitScheduler waits, Function<Runnable, ChangeFeed.Subscription> wakeUps, Judge<A> judge) {
        this.waits = waits;
        this.wakeUps = wakeUps;
        this.judge = judge;
    }

    /** Takes {@code waiter} in, unless the line has ended. */
    boolean join(Waiter<A> waiter) {
        boolean first;
        synchronized (this) {
            if (retired) {
                return false;
            }
            waiters.add(waiter);
            first = !listening;
            listening = true;
        }
        if (first) {
            // Whoever joins may be an event loop, and a store may take its time to begin to listen.
            waits.call(this::listen).whenComplete((listening, failure) -> {
                if (failure != null) {
                    deaf(failure);
                }
                look();
            });
        }
        if (waiter.result.isDone()) {
            // It left before it came.
            leave(waiter);
        }
        return true;
    }

    void leave(Waiter<A> waiter) {
        synchronized (this) {
            waiters.remove(waiter);
        }
        retireIfEmpty();
    }

    // Listens, then looks: what happened between the waiter's own look and now is not missed.
    private boolean listen() {
        ChangeFeed.Subscription subscription = () -> {};
        try {
            subscription = wakeUps.apply(this::look);
        } catch (RuntimeException failure) {
            log.warn("no wake-ups, only polls: {}", failure.toString());
        }
        synchronized (this) {
            heard = subscription;
            looking = false;
        }
        retireIfEmpty();
        return true;
    }

    // There was no thread to listen with.
    private void deaf(Throwable failure) {
        log.warn("no wake-ups, only polls: {}", failure.toString());
        synchronized (this) {
            looking = false;
        }
    }

    private void look() {
        Waiter<A> head;
        synchronized (this) {
            if (looking) {
                again = true;
                return;
            }
            if (retired) {
                return;
            }
            again = false;
            stopPolling();
            head = firstToAsk();
            looking = head != null;
        }
        if (head == null) {
            retireIfEmpty();
        } else {
            head.ask().whenComplete((answer, failure) -> looked(head, answer, failure));
        }
    }

    // Whoever may not ask has its last look under way by itself, or is about to leave: it holds up nobody.
    private @Nullable Waiter<A> firstToAsk() {
        Iterator<Waiter<A>> line = waiters.iterator();
        while (line.hasNext()) {
            Waiter<A> next = line.next();
            if (next.beginsToAsk()) {
                return next;
            }
            line.remove();
        }
        return null;
    }

    private void looked(Waiter<A> head, @Nullable A answer, @Nullable Throwable failure) {
        boolean settled = head.answered(answer == null || judge.isEnough(answer));
        boolean more;
        synchronized (this) {
            looking = false;
            if (settled) {
                waiters.remove(head);
            }
            more = settled || again || !waiters.contains(head);
            if (!more) {
                poll = waits.poll(this::look);
            }
        }
        if (settled) {
            judge.settle(head, answer, failure);
        }
        retireIfEmpty();
        if (more) {
            look();
        }
    }

    private void retireIfEmpty() {
        ChangeFeed.Subscription over;
        synchronized (this) {
            if (retired || looking || !waiters.isEmpty()) {
                return;
            }
            retired = true;
            stopPolling();
            over = heard;
        }
        judge.retired(this);
        if (over != null) {
            over.close();
        }
    }

    private void stopPolling() {
        if (poll != null) {
            poll.cancel();
            poll = null;
        }
    }
}
