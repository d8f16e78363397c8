package io.interlock.server.runs;

import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunState;
import io.interlock.batch.Coalescer;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.server.problem.Refusals;
import io.interlock.service.Facts;
import io.interlock.service.RunFacts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Second looks: what else is known about a key or a run that an answer names. */
public final class RunLookups {

    private static final Logger log = LoggerFactory.getLogger(RunLookups.class);

    /** As many as blocking calls have threads. */
    private static final int LOOKS_AT_ONCE = 16;

    private static final int MOST_TOGETHER = 1_000;

    private final OperationContext context;
    private final Coalescer<LockKey, Optional<KeyView>> looks;

    public RunLookups(OperationContext context) {
        this.context = context;
        this.looks = Coalescer.answeringAll(this::lookAt, List::of, MOST_TOGETHER, LOOKS_AT_ONCE, context.blocking());
    }

    /** What is known about {@code key}; empty if it is free or the store does not answer: a refusal counts without it. */
    CompletionStage<Optional<KeyView>> key(LockKey key) {
        return looks.submit(key).exceptionally(failure -> {
            log.debug("key {} could not be read again: {}", key, failure.toString());
            return Optional.empty();
        });
    }

    /** The answer to a refused request, with what else is known about the key. */
    public CompletionStage<Reply> refused(Call call, Refusal refusal) {
        return key(refusal.key())
                .thenApplyAsync(view -> Reply.refused(Refusals.of(refusal, view.orElse(null))), call.loop());
    }

    /** Looks once for all requests about the same key: where one is refused, many are. */
    private List<Optional<KeyView>> lookAt(List<LockKey> keys) {
        Map<LockKey, Optional<KeyView>> seen = new HashMap<>();
        return keys.stream()
                .map(key -> seen.computeIfAbsent(key, context.service()::view))
                .toList();
    }

    /** A queued run with its place and why it waits; without the reason if the store does not answer. */
    CompletionStage<Facts> waiting(Run run, int position) {
        Facts bare = RunFacts.of(run).and("position", position > 0 ? position : null);
        if (run.state() != RunState.QUEUED) {
            return CompletableFuture.completedFuture(bare);
        }
        return context.blocking()
                .call(
                        run.key().tenant(),
                        () -> context.engine()
                                .explain(run.id())
                                .map(wait -> RunFacts.waiting(run, wait))
                                .orElse(bare))
                .exceptionally(failure -> {
                    log.debug("the reason why run {} waits could not be read: {}", run.id(), failure.toString());
                    return bare;
                });
    }
}
