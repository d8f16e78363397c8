package io.interlock.server.runs;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Run;
import io.interlock.server.api.BlockingCalls;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Finds runs by their ids, for the tenant of the caller only: an id of another tenant is answered like one that is not there. What
 * never changes about a run is remembered, so a heartbeat costs no second look.
 */
final class KnownRuns {

    private static final int MOST = 10_000;

    private static final int THREADS = 4;

    private final OperationContext context;

    /** Heartbeats must not wait behind lists: their leases would end. */
    private final BlockingCalls looks;

    private final Map<RunId, KnownRun> facts = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<RunId, KnownRun> eldest) {
            return size() > MOST;
        }
    };

    /** What never changes about a run. */
    record KnownRun(RunId id, LockKey key, Duration ttl) {}

    KnownRuns(OperationContext context) {
        this.context = context;
        this.looks = BlockingCalls.apart(context.environment(), THREADS);
    }

    /** What never changes about the run the call names. */
    CompletionStage<KnownRun> facts(Call call) {
        RunId id = id(call);
        synchronized (facts) {
            KnownRun known = facts.get(id);
            if (known != null && known.key().tenant().equals(call.tenant())) {
                return CompletableFuture.completedFuture(known);
            }
        }
        return looks.call(() -> remember(require(call, id)));
    }

    /** The run the call names, as it stands. Blocks. */
    Run require(Call call, RunId id) {
        return owned(call, context.engine().find(id)).orElseThrow(() -> unknown(id.toString()));
    }

    /** {@code run}, if it is the caller's tenant's. */
    static Optional<Run> owned(Call call, Optional<Run> run) {
        return run.filter(found -> found.key().tenant().equals(call.tenant()));
    }

    /** The id the call names. */
    static RunId id(Call call) {
        String text = call.required("id", String.class);
        try {
            return RunId.parse(text);
        } catch (IllegalArgumentException malformed) {
            throw unknown(text);
        }
    }

    static RuntimeException unknown(String id) {
        return Call.notFound("run", id);
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
