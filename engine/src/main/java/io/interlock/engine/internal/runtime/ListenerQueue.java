package io.interlock.engine.internal.runtime;

import io.interlock.engine.EngineEvent;
import io.interlock.engine.EngineListener;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one listener has still to hear, in order, one at a time. If it is too slow, the oldest is dropped, and counted; if it
 * throws, that is logged. It uses a thread only while there is something to hear.
 */
public final class ListenerQueue {

    /** How many events wait for a slow listener. */
    static final int MOST = 1000;

    private static final Logger log = LoggerFactory.getLogger(ListenerQueue.class);

    private final EngineListener listener;
    private final EngineThreads threads;
    private final Deque<EngineEvent> waiting = new ArrayDeque<>();
    private boolean delivering;
    private boolean slow;
    private long missed;

    ListenerQueue(EngineListener listener, EngineThreads threads) {
        this.listener = listener;
        this.threads = threads;
    }

    void add(EngineEvent event) {
        synchronized (this) {
            if (waiting.size() == MOST) {
                waiting.removeFirst();
                missed++;
                if (!slow) {
                    slow = true;
                    long soFar = missed;
                    // Whoever tells us of an event may be the one who stops work in time, and must not wait for a log.
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
