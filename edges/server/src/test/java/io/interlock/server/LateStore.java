package io.interlock.server;

import io.interlock.spi.run.InterceptedStore;
import io.interlock.spi.run.RunStore;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A store one of whose answers can be held up on its way: the step is done, and its caller does not know yet. */
public final class LateStore {

    private final RunStore store;
    private final AtomicReference<@Nullable Late> next = new AtomicReference<>();

    public LateStore(RunStore behind) {
        store = InterceptedStore.of(behind, RunStore.class, call -> {
            Object answer = call.proceed();
            Late late = next.get();
            if (late != null && late.step.equals(call.step()) && next.compareAndSet(late, null)) {
                late.holdUp();
            }
            return answer;
        });
    }

    public RunStore store() {
        return store;
    }

    /** Holds up the next answer to {@code step}. */
    public Late holdUp(String step) {
        Late late = new Late(step);
        next.set(late);
        return late;
    }

    /** An answer that is held up. */
    public static final class Late {
        private final String step;
        private final CountDownLatch done = new CountDownLatch(1);
        private final CountDownLatch mayArrive = new CountDownLatch(1);

        Late(String step) {
            this.step = step;
        }

        private void holdUp() throws InterruptedException {
            done.countDown();
            mayArrive.await();
        }

        /** Waits until the store has done what it was asked for. */
        public void awaitDone() throws InterruptedException {
            if (!done.await(20, TimeUnit.SECONDS)) {
                throw new AssertionError(step + " was not asked for");
            }
        }

        /** Lets the answer through. */
        public void arrive() {
            mayArrive.countDown();
        }
    }
}
