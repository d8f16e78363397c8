package io.interlock.locks.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class WaitQueuesTest {

    private final List<Runnable> polls = new ArrayList<>();
    private final List<String> watched = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();
    private final Timers timers = new Timers() {
        @Override
        public Scheduled after(Duration delay, Runnable task) {
            polls.add(task);
            return () -> polls.remove(task);
        }

        @Override
        public void close() {}
    };
    private final WaitQueues<String, String> queues = new WaitQueues<>(
            new Poller.Pace(timers, new LocalTime(Environment.system()), Duration.ofSeconds(1)),
            Runnable::run,
            (about, known, look) -> {
                watched.add(about + " " + known);
                return () -> watched.remove(about + " " + known);
            });

    /** Answers when it is told to. */
    private final class Waiter extends WaitQueues.Waiter<String> {
        private final String name;
        private CompletableFuture<WaitQueues.Next<String>> answer = new CompletableFuture<>();

        Waiter(String name) {
            super(queues.ticket());
            this.name = name;
        }

        @Override
        protected CompletionStage<WaitQueues.Next<String>> ask() {
            asked.add(name);
            answer = new CompletableFuture<>();
            return answer;
        }

        void hears(WaitQueues.Next<String> next) {
            answer.complete(next);
        }
    }

    private final Waiter first = new Waiter("first");
    private final Waiter second = new Waiter("second");

    @Test
    void onlyTheFirstAsksUntilItIsSettled() {
        queues.join(first, "key", "held");
        queues.join(second, "key", "held");
        assertThat(asked).containsExactly("first");
        first.hears(new WaitQueues.Next<>(() -> asked.add("settled"), null, null));
        assertThat(asked).containsExactly("first", "settled", "second");
    }

    @Test
    void afterAGrantTheNextWaitsForAWakeUpOrThePoll() {
        queues.join(first, "key", "held");
        queues.join(second, "key", "held");
        first.hears(new WaitQueues.Next<>(() -> {}, WaitQueues.NEXT_POLL, "granted"));
        assertThat(asked).containsExactly("first");
        assertThat(queues.lastAnswer("key")).isEqualTo("granted");
        queues.wake("key");
        assertThat(asked).containsExactly("first", "second");
        assertThat(polls).isEmpty();
    }

    @Test
    void theNextAsksWhenTheFirstLeavesWhileItAsks() {
        queues.join(first, "key", "held");
        queues.join(second, "key", "held");
        queues.leave(first, "key");
        first.hears(new WaitQueues.Next<>(null, WaitQueues.NEXT_POLL, "held"));
        assertThat(asked).containsExactly("first", "second");
    }

    @Test
    void aWaiterThatFailsToAskHoldsUpNoOther() {
        queues.join(first, "key", "held");
        queues.join(second, "key", "held");
        first.answer.completeExceptionally(new IllegalStateException("broken"));
        assertThat(polls).hasSize(1);
        queues.leave(first, "key");
        assertThat(asked).containsExactly("first", "second");
    }

    @Test
    void nothingIsListenedToAfterTheLastHasLeft() {
        queues.join(first, "key", "held");
        assertThat(watched).containsExactly("key held");
        first.hears(new WaitQueues.Next<>(() -> {}, null, "granted"));
        assertThat(watched).isEmpty();
        assertThat(polls).isEmpty();
        assertThat(queues.isWaitedFor("key")).isFalse();
    }

    @Test
    void withoutAnAnswerItAsksBeforeItListens() {
        queues.join(first, "run", null);
        assertThat(watched).isEmpty();
        first.hears(new WaitQueues.Next<>(null, WaitQueues.NEXT_POLL, "running"));
        assertThat(watched).containsExactly("run running");
        assertThat(asked).as("what happened before it listened").containsExactly("first", "first");
    }
}
