package io.interlock.server;

import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.InterceptedStore;
import io.interlock.spi.run.RunStore;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A store that notes who asks it on an event loop: its methods block, and an event loop never may. */
final class WatchedStore {

    /** Data, not calls. */
    private static final Set<String> HARMLESS = Set.of("capabilities", "changes");

    private final Queue<String> blocked = new ConcurrentLinkedQueue<>();
    private final RunStore store;

    WatchedStore(RunStore behind) {
        store = InterceptedStore.of(behind, RunStore.class, call -> {
            note(call.step());
            Object answer = call.proceed();
            return answer instanceof ChangeFeed feed ? watched(feed) : answer;
        });
    }

    RunStore store() {
        return store;
    }

    /** What was asked on an event loop. */
    Queue<String> blocked() {
        return blocked;
    }

    private ChangeFeed watched(ChangeFeed feed) {
        return (key, lookAgain) -> {
            note("watch");
            return feed.watch(key, lookAgain);
        };
    }

    private void note(String step) {
        if (Thread.currentThread().getName().startsWith("vert.x-eventloop") && !HARMLESS.contains(step)) {
            blocked.add(step);
        }
    }
}
