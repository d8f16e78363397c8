package io.interlock.engine.internal.runtime;

import io.interlock.engine.EngineEvent;
import io.interlock.engine.EngineListener;
import java.util.List;

/** Tells listeners what happened. No listener can harm the engine or another listener. */
public final class EventPublisher {

    private final List<ListenerQueue> posts;

    public EventPublisher(List<EngineListener> listeners, EngineThreads threads) {
        posts = listeners.stream()
                .map(listener -> new ListenerQueue(listener, threads))
                .toList();
    }

    /** Tells everybody of {@code event}, soon. Never waits, never throws. */
    public void tell(EngineEvent event) {
        posts.forEach(post -> post.add(event));
    }

    /** How many events listeners have missed because they were too slow. */
    public long missed() {
        return posts.stream().mapToLong(ListenerQueue::missed).sum();
    }
}
