package io.interlock.engine.internal.runtime;

import io.interlock.engine.EngineEvent;
import io.interlock.engine.EngineEvent.EngineListener;
import io.interlock.run.Run;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners of the application what happened, and the parts of one engine that a run has ended or that workers may find work. A
 * listener of the application cannot delay or break the engine or another listener. Parts of the engine are called on the thread that
 * sends, and return at once. Safe for use by many threads.
 */
public final class EngineEvents {

    private static final Logger log = LoggerFactory.getLogger(EngineEvents.class);

    private final EngineThreads threads;
    private final List<ListenerQueue> queues;
    private final List<Consumer<EngineEvent>> parts = new CopyOnWriteArrayList<>();
    private final List<Consumer<Run>> endListeners = new CopyOnWriteArrayList<>();
    private final List<Runnable> workListeners = new CopyOnWriteArrayList<>();

    public EngineEvents(List<EngineListener> listeners, EngineThreads threads) {
        this.threads = threads;
        this.queues = listeners.stream().map(ListenerQueue::new).toList();
    }

    /** Tells all listeners of {@code event}, soon. Never waits, never throws. */
    public void tell(EngineEvent event) {
        parts.forEach(part -> part.accept(event));
        queues.forEach(queue -> queue.add(event));
    }

    /** How many events listeners have missed because they were too slow. */
    public long missed() {
        return queues.stream().mapToLong(ListenerQueue::missed).sum();
    }

    /** Calls {@code part} of the engine with every event, before listeners: it misses none. */
    public void onEvent(Consumer<EngineEvent> part) {
        parts.add(part);
    }

    /** Calls {@code listener} with each run of which an attempt has ended here. */
    public void onEnd(Consumer<Run> listener) {
        endListeners.add(listener);
    }

    /** Calls {@code listener} when workers may find work. */
    public void onWork(Runnable listener) {
        workListeners.add(listener);
    }

    /** An attempt of {@code run} has ended, or {@code run} as a whole, as its state says. */
    public void ended(Run run) {
        endListeners.forEach(listener -> listener.accept(run));
    }

    public void workAppeared() {
        workListeners.forEach(Runnable::run);
    }

    /**
     * What one listener has still to be told, in order, one at a time. If the listener is too slow, the oldest event is dropped and
     * counted; if it throws, that is logged. Uses a thread only while there is something to tell.
     */
    private final class ListenerQueue {

        private static final int MOST = 1000;

        private final EngineListener listener;
        private final Deque<EngineEvent> waiting = new ArrayDeque<>();
        private boolean delivering;
        private boolean slow;
        private long missed;

        ListenerQueue(EngineListener listener) {
            this.listener = listener;
        }

        void add(EngineEvent event) {
            synchronized (this) {
                if (waiting.size() == MOST) {
                    waiting.removeFirst();
                    missed++;
                    if (!slow) {
                        slow = true;
                        long soFar = missed;
                        // The caller may be the thread that stops work in time, and must not wait for a log.
                        threads.tell(() -> log.warn("{} is too slow and misses events, {} so far", listener, soFar));
                    }
                }
                waiting.addLast(event);
                if (delivering) {
                    return;
                }
                delivering = true;
            }
            threads.tell(this::deliver);
        }

        synchronized long missed() {
            return missed;
        }

        private void deliver() {
            for (EngineEvent event = next(); event != null; event = next()) {
                try {
                    listener.on(event);
                } catch (RuntimeException | Error failure) {
                    log.error("{} failed at {}", listener, event, failure);
                }
            }
        }

        private synchronized @Nullable EngineEvent next() {
            EngineEvent event = waiting.pollFirst();
            if (event == null) {
                delivering = false;
                slow = false;
            }
            return event;
        }
    }
}
