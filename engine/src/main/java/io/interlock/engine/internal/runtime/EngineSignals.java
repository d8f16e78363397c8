package io.interlock.engine.internal.runtime;

import io.interlock.run.Run;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * What the parts of one engine tell each other: that a run has ended, and that workers may find work. Listeners are called on the
 * thread that sends, and return at once. Safe for use by many threads.
 */
public final class EngineSignals {

    private final List<Consumer<Run>> endListeners = new CopyOnWriteArrayList<>();
    private final List<Runnable> workListeners = new CopyOnWriteArrayList<>();

    public void onEnd(Consumer<Run> listener) {
        endListeners.add(listener);
    }

    public void onWork(Runnable listener) {
        workListeners.add(listener);
    }

    /** An attempt of {@code run} has ended, or {@code run} as a whole, as its state says. */
    public void ended(Run run) {
        endListeners.forEach(listener -> listener.accept(run));
    }

    /** Workers may find work. */
    public void workAppeared() {
        workListeners.forEach(Runnable::run);
    }
}
