package io.interlock.engine.internal;

import io.interlock.engine.EngineEvent;
import io.interlock.engine.EngineListener;
import java.util.List;

/** Tells listeners what happened. No listener can harm the engine or another listener. */
final class Events {

    private final List<Post> posts;

    Events(List<EngineListener> listeners, EngineThreads threads) {
        posts = listeners.stream().map(listener -> new Post(listener, threads)).toList();
    }

    /** Tells everybody of {@code event}, soon. Never waits, never throws. */
    void tell(EngineEvent event) {
        posts.forEach(post -> post.add(event));
    }

    /** How many events listeners have missed because they were too slow. */
    long missed() {
        return posts.stream().mapToLong(Post::missed).sum();
    }
}
