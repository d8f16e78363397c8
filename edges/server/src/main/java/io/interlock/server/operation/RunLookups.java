package io.interlock.server.operation;

import io.interlock.BoundedMap;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.batch.Coalescer;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import io.interlock.server.api.BlockingCalls;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.service.Facts;
import io.interlock.service.LockService;
import io.interlock.service.Problem;
import io.interlock.service.RefusalFacts;
import io.interlock.service.RunFacts;
import io.interlock.service.RunService;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what an answer says beside its own subject. Runs are found for the tenant of the caller only: an id of another tenant is answered
 * like one that is not there. What never changes about a run is remembered, so a heartbeat costs no second look. Safe for use by many threads.
 */
public final class RunLookups {

    private static final Logger log = LoggerFactory.getLogger(RunLookups.class);

    /** As many as blocking calls have threads. */
    private static final int LOOKS_AT_ONCE = 16;

    private static final int MOST_TOGETHER = 1_000;
    private static final int MOST_REMEMBERED = 10_000;
    private static final int THREADS = 4;

    private final OperationContext context;
    private final Coalescer<LockKey, Optional<KeyView>> looks;

    /** Heartbeats must not wait behind lists: their leases would end. */
    private final BlockingCalls heartbeats;

    private final Map<RunId, KnownRun> facts = BoundedMap.ofLastUsed(MOST_REMEMBERED);

    record KnownRun(RunId id, LockKey key, Duration ttl) {}

    public RunLookups(OperationContext context) {
        this.context = context;
        this.heartbeats = BlockingCalls.apart(context.environment(), THREADS);
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
    CompletionStage<Reply> refused(Call call, Refusal refusal) {
        return key(refusal.key())
                .thenApplyAsync(view -> Reply.refused(RefusalFacts.exception(refusal, view.orElse(null))), call.loop());
    }

    /** Looks once for all requests about the same key: where one is refused, many are. */
    private List<Optional<KeyView>> lookAt(List<LockKey> keys) {
        Map<LockKey, Optional<KeyView>> seen = new HashMap<>();
        return keys.stream()
                .map(key -> seen.computeIfAbsent(key, each -> LockService.view(context.engine(), each)))
                .toList();
    }

    /** The answer about a run that has not ended: if it is queued, with its place and why it waits, unless the store does not answer. */
    CompletionStage<Reply> waiting(Run run, int position) {
        Facts bare = RunFacts.of(run).and("position", position > 0 ? position : null);
        if (run.state() != RunState.QUEUED) {
            return CompletableFuture.completedFuture(RunOperations.waiting(bare));
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
                })
                .thenApply(RunOperations::waiting);
    }

    /** What never changes about the run the call names. */
    CompletionStage<KnownRun> facts(Call call) {
        Optional<RunId> id = RunService.id(id(call));
        synchronized (facts) {
            KnownRun known = id.map(facts::get).orElse(null);
            if (known != null && known.key().tenant().equals(call.tenant())) {
                return CompletableFuture.completedFuture(known);
            }
        }
        return heartbeats.call(
                call.tenant(), () -> remember(context.service().runs().require(call.request())));
    }

    static RuntimeException unknown(Call call) {
        return Problem.notFound("run", id(call));
    }

    private static String id(Call call) {
        return call.required("id", String.class);
    }

    /** What never changes about {@code run}, kept for the next request about it. */
    KnownRun remember(Run run) {
        KnownRun known = new KnownRun(run.id(), run.key(), run.spec().terms().ttl());
        synchronized (facts) {
            facts.put(run.id(), known);
        }
        return known;
    }
}
