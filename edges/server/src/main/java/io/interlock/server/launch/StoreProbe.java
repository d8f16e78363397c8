package io.interlock.server.launch;

import io.interlock.StoreUnavailableException;
import io.interlock.engine.OpenStore;
import io.interlock.server.http.ReadyProbe;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Ready while the store answers and nobody has asked for an end. A store that hangs is asked once, however many want to know. */
final class StoreProbe implements ReadyProbe {

    private final OpenStore store;
    private final Executor blocking;
    private final AtomicReference<@Nullable CompletableFuture<Readiness>> asked = new AtomicReference<>();
    private volatile boolean stopping;

    StoreProbe(OpenStore store, Executor blocking) {
        this.store = store;
        this.blocking = blocking;
    }

    /** From now on it is not ready. */
    void stopping() {
        stopping = true;
    }

    @Override
    public CompletionStage<Readiness> ask() {
        if (stopping) {
            return CompletableFuture.completedFuture(Readiness.notReady("this node is stopping"));
        }
        CompletableFuture<Readiness> mine = new CompletableFuture<>();
        CompletableFuture<Readiness> before = asked.compareAndExchange(null, mine);
        if (before != null) {
            return before;
        }
        try {
            blocking.execute(() -> {
                Readiness answer = look();
                asked.set(null);
                mine.complete(answer);
            });
        } catch (RuntimeException busy) {
            asked.set(null);
            mine.complete(Readiness.notReady("this node has too much to do"));
        }
        return mine;
    }

    private Readiness look() {
        try {
            store.ask();
            return Readiness.yes();
        } catch (StoreUnavailableException away) {
            return Readiness.notReady("the store does not answer");
        } catch (RuntimeException failed) {
            return Readiness.notReady(
                    "the store cannot be asked: " + failed.getClass().getSimpleName());
        }
    }
}
