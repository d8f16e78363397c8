package io.interlock.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.ForwardingEnvironment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;

class LongPollTest {

    private final Deque<Runnable> later = new ArrayDeque<>();
    private boolean exhausted;
    private int asked;

    @Test
    void asksAgainAfterAMomentWithoutThreads() {
        exhausted = true;
        LongPoll poll = poll(() -> {});
        exhausted = false;
        pass();
        assertThat(asked).isEqualTo(1);
        exhausted = true;
        pass();
        exhausted = false;
        pass();
        assertThat(asked).isEqualTo(2);
        poll.close();
        pass();
        assertThat(asked).isEqualTo(2);
        assertThat(later).isEmpty();
    }

    @Test
    void asksAgainAfterAWakeUpThatFailed() {
        poll(() -> {
            throw new IllegalStateException("no wake-up");
        });
        pass();
        assertThat(asked).isEqualTo(2);
    }

    private LongPoll poll(Runnable lookAgain) {
        return LongPoll.begin(
                new Machine(),
                new Pauses(),
                abort -> {
                    asked++;
                    return true;
                },
                lookAgain);
    }

    private void pass() {
        later.remove().run();
    }

    private final class Pauses implements Timers {
        @Override
        public Scheduled after(Duration delay, Runnable task) {
            later.add(task);
            return () -> later.remove(task);
        }

        @Override
        public void close() {}
    }

    /** Its threads run at once, on the one that starts them. */
    private final class Machine extends ForwardingEnvironment {
        Machine() {
            super(Environment.system());
        }

        @Override
        public ThreadFactory threads(String name) {
            return task -> new Thread(task) {
                @Override
                public void start() {
                    if (exhausted) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    try {
                        run();
                    } catch (RuntimeException ofTheThread) {
                        // As on a thread of its own.
                    }
                }
            };
        }
    }
}
