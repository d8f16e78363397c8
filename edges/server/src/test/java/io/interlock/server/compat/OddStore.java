package io.interlock.server.compat;

import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.spi.run.InterceptedStore;
import io.interlock.spi.run.RunStore;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A store whose clock shows another time than everybody else's, that does not answer about some resources, and one of whose answers is
 * old when it comes.
 */
final class OddStore {

    private final RunStore behind;
    private volatile Duration ahead = Duration.ZERO;
    private volatile String silent = "\0";
    private final AtomicReference<@Nullable Meanwhile> meanwhile = new AtomicReference<>();

    private record Meanwhile(String prefix, AtomicInteger reads, Runnable happens) {}

    OddStore(RunStore behind) {
        this.behind = behind;
    }

    /** Sets its clock that much before the others. */
    void ahead(Duration time) {
        ahead = time;
    }

    /** Answers no more about resources whose keys begin with {@code prefix}. */
    void silentAbout(String prefix) {
        silent = prefix;
    }

    /** Has {@code happens} done between the {@code nth} look, from now on, at resources whose keys begin with {@code prefix} and its answer. */
    void meanwhile(String prefix, int nth, Runnable happens) {
        meanwhile.set(new Meanwhile(prefix, new AtomicInteger(nth), happens));
    }

    private void looked(LockKey key) {
        Meanwhile next = meanwhile.get();
        if (next != null
                && key.name().startsWith(next.prefix())
                && next.reads().decrementAndGet() == 0
                && meanwhile.compareAndSet(next, null)) {
            next.happens().run();
        }
    }

    RunStore store() {
        return InterceptedStore.of(behind, RunStore.class, call -> {
            LockKey resource = call.step().equals("resource") ? (LockKey) call.argument(0) : null;
            if (resource != null && resource.name().startsWith(silent)) {
                throw new StoreUnavailableException("odd", "says nothing about " + resource);
            }
            Object answer = call.proceed();
            if (resource != null) {
                looked(resource);
            }
            return answer instanceof Instant time ? time.plus(ahead) : answer;
        });
    }
}
