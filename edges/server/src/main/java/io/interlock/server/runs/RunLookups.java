package io.interlock.server.runs;

import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.batch.Coalescer;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import io.interlock.run.Wait;
import io.interlock.server.api.OperationContext;
import io.interlock.server.json.HolderJson;
import io.interlock.server.json.JsonTime;
import io.interlock.server.json.RunJson;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Second looks, for the facts in answers about keys that somebody else has. */
public final class RunLookups {

    private static final Logger log = LoggerFactory.getLogger(RunLookups.class);

    /** As many as calls that block have threads. */
    private static final int LOOKS_AT_ONCE = 16;

    private static final int MOST_TOGETHER = 1_000;

    private final OperationContext context;
    private final Coalescer<LockKey, Optional<KeyView>> looks;

    /** Looks by {@code bench}. */
    public RunLookups(OperationContext context) {
        this.context = context;
        this.looks = Coalescer.answeringAll(this::lookAt, List::of, MOST_TOGETHER, LOOKS_AT_ONCE, context.blocking());
    }

    /** What goes on under {@code key}; empty if nothing does, or if nobody can say: a refusal is one without it too. */
    public CompletionStage<Optional<KeyView>> key(LockKey key) {
        return looks.submit(key).exceptionally(failure -> {
            log.debug("no second look at {}: {}", key, failure.toString());
            return Optional.empty();
        });
    }

    /** Looks once for all who ask about the same key: where one is refused, many are. */
    private List<Optional<KeyView>> lookAt(List<LockKey> keys) {
        Map<LockKey, Optional<KeyView>> seen = new HashMap<>();
        return keys.stream().map(key -> seen.computeIfAbsent(key, this::look)).toList();
    }

    private Optional<KeyView> look(LockKey key) {
        // Of all names that begin with a name, it is itself the first.
        List<KeyView> found = context.engine().queries().keys(new KeyQuery(key.tenant(), key.name(), null, 1));
        return found.stream().filter(view -> view.key().equals(key)).findFirst();
    }

    /** A run in line, with its place and the reason; without the reason if nobody can say: the run is in line all the same. */
    CompletionStage<JsonObject> waiting(Run run, int position) {
        JsonObject bare = position > 0 ? RunJson.of(run).put("position", position) : RunJson.of(run);
        if (run.state() != RunState.QUEUED) {
            return CompletableFuture.completedFuture(bare);
        }
        return context.blocking()
                .call(
                        run.key().tenant(),
                        () -> context.engine()
                                .explain(run.id())
                                .map(wait -> explained(run, wait))
                                .orElse(bare))
                .exceptionally(failure -> {
                    log.debug("no reason why run {} waits: {}", run.id(), failure.toString());
                    return bare;
                });
    }

    /** A run with what {@code wait} says. */
    static JsonObject explained(Run run, Wait wait) {
        JsonObject json = RunJson.of(run, wait.sentence()).put("position", wait.position());
        if (wait.holder() != null) {
            json.put("waitingFor", HolderJson.of(wait.holder()).put("alive", wait.alive()));
        }
        wait.expectedWait().ifPresent(time -> json.put("expectedWait", JsonTime.of(time)));
        return json;
    }
}
