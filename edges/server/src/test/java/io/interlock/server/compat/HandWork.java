package io.interlock.server.compat;

import static org.awaitility.Awaitility.await;

import io.interlock.engine.RunContext;
import io.interlock.engine.RunHandler;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;

/** Work that goes on until the test says how it ends. */
public final class HandWork implements RunHandler {

    private final Map<String, CompletableFuture<String>> ends = new ConcurrentHashMap<>();
    private final Map<String, RunContext> begun = new ConcurrentHashMap<>();

    @Override
    public String run(RunContext context) throws Exception {
        String id = context.run().id().toString();
        begun.put(id, context);
        try {
            return end(id).get();
        } catch (ExecutionException failed) {
            throw (Exception) failed.getCause();
        }
    }

    /** Waits until the run is at work. */
    public RunContext working(String id) {
        await().atMost(Duration.ofSeconds(20)).until(() -> begun.containsKey(id));
        return Objects.requireNonNull(begun.get(id));
    }

    /** How many runs ever were at work. */
    public int count() {
        return begun.size();
    }

    /** Ends the run well. */
    public void succeed(String id) {
        end(id).complete("{}");
    }

    /** Ends the run well, with a result. */
    public void end(String id, String result) {
        end(id).complete(result);
    }

    /** Ends the run badly. */
    public void fail(String id, Exception why) {
        end(id).completeExceptionally(why);
    }

    private CompletableFuture<String> end(String id) {
        return ends.computeIfAbsent(id, name -> new CompletableFuture<>());
    }
}
