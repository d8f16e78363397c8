package io.interlock.server.compat;

import io.interlock.LockKey;
import io.interlock.spi.run.InterceptedStore;
import io.interlock.spi.run.RunStore;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A store whose first readers of some resources all have seen the same before any of them goes on. */
public final class MeetingStore {

    private final RunStore store;

    /** Has {@code readers} of resources whose keys begin with {@code prefix} meet. */
    public MeetingStore(RunStore behind, String prefix, int readers) {
        CyclicBarrier all = new CyclicBarrier(readers);
        AtomicInteger came = new AtomicInteger();
        store = InterceptedStore.of(behind, RunStore.class, call -> {
            Object answer = call.proceed();
            if (call.step().equals("resource")
                    && ((LockKey) call.argument(0)).name().startsWith(prefix)
                    && came.incrementAndGet() <= readers) {
                all.await(20, TimeUnit.SECONDS);
            }
            return answer;
        });
    }

    public RunStore store() {
        return store;
    }
}
