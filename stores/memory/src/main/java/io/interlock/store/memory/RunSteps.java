package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.CancelAnswer;
import io.interlock.run.Claimed;
import io.interlock.run.FinishAnswer;
import io.interlock.run.HeartbeatAnswer;
import io.interlock.run.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.SweepAction;
import io.interlock.run.TurnAnswer;
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.HeartbeatRequest;
import io.interlock.spi.run.ResourceRequest;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;
import io.interlock.spi.run.rules.ClaimRules;
import io.interlock.spi.run.rules.FinishRules;
import io.interlock.spi.run.rules.ResourceRules;
import io.interlock.spi.run.rules.StopRules;
import io.interlock.spi.run.rules.SubmitRules;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The operations on runs, each one atomic step per key of a {@link RunTable}. */
class RunSteps extends RunQueries {

    private final RunTable table;
    private final MemoryRecords records;
    private final PauseSteps pauses;
    private final Object claiming = new Object();

    RunSteps(RunTable table) {
        this(table, MemoryRecords.of(table));
    }

    RunSteps(RunTable table, MemoryRecords records) {
        super(table);
        this.table = table;
        this.records = records;
        pauses = new PauseSteps(table);
    }

    MemoryRecords records() {
        return records;
    }

    PauseSteps pauses() {
        return pauses;
    }

    SubmitAnswer submit(SubmitRequest request) {
        return table.step(request.key(), state -> {
            Run known = table.rows.run(request.id()).orElse(null);
            if (known != null) {
                return SubmitRules.repeated(state, request, known);
            }
            SubmitRequest.Idempotency idempotency = request.idempotency();
            if (idempotency == null) {
                return SubmitRules.submit(state, request);
            }
            NameRows.Name name = name(request.key(), idempotency);
            Instant now = state.now();
            NameRows.Remembered before = table.rows.names.find(name, now).orElse(null);
            if (before != null) {
                Run run = table.rows.run(before.run()).orElseThrow();
                return SubmitRules.remembered(state, idempotency, before.fingerprint(), run);
            }
            SubmitAnswer answer = SubmitRules.submit(state, request);
            resulting(answer).ifPresent(run -> table.rows.remember(name, idempotency, run, now));
            return answer;
        });
    }

    /** An idempotency key of a tenant. */
    NameRows.Name name(LockKey key, SubmitRequest.Idempotency idempotency) {
        return new NameRows.Name(key.tenant(), idempotency.key());
    }

    /** Claims are serialised, so that two concurrent equal claims take the same runs. */
    List<Claimed> claim(ClaimRequest request) {
        synchronized (claiming) {
            // Keys that have become free since are claimed at once.
            table.settleDue(request.tenant(), KeyTable.MOST_KEYS);
            List<Claimed> before = claimedBefore(request);
            return before.isEmpty() ? claimAnew(request) : before;
        }
    }

    private List<Claimed> claimedBefore(ClaimRequest request) {
        return table.alone(rows -> rows.claimedBy(request.id())).stream()
                .flatMap(key -> table.step(key, state -> ClaimRules.claimedBefore(state, request)).stream())
                .toList();
    }

    private List<Claimed> claimAnew(ClaimRequest request) {
        List<Claimed> claimed = new ArrayList<>();
        Set<RunId> tried = new HashSet<>();
        Map<String, Integer> turns = new HashMap<>();
        boolean isAll = table.isQuiet();
        while (!isAll && claimed.size() < request.max()) {
            RunRows.Candidates next = table.alone(
                    rows -> rows.candidates(request, table.now(), tried, turns, request.max() - claimed.size()));
            for (Run run : next.runs()) {
                tried.add(run.id());
                claim(run, request).ifPresent(work -> {
                    claimed.add(work);
                    turns.merge(run.key().tenant(), 1, Integer::sum);
                });
            }
            isAll = next.isAll();
        }
        return List.copyOf(claimed);
    }

    private Optional<Claimed> claim(Run run, ClaimRequest request) {
        return table.step(run.key(), state -> {
            Optional<Claimed> claimed = ClaimRules.claim(state, request);
            claimed.ifPresent(work ->
                    table.rows.claimed(run.key(), request.id(), work.lease().id()));
            return claimed;
        });
    }

    /**
     * Grants waiting callers their turn. All callers of a batch count as alive before any of its keys is settled, so
     * that no caller that has just reported counts as gone.
     */
    List<TurnAnswer> takeTurns(List<TurnRequest> requests) {
        table.heard();
        Map<LockKey, List<RunId>> reported = new LinkedHashMap<>();
        requests.forEach(request -> reported.computeIfAbsent(request.key(), key -> new ArrayList<>())
                .add(request.run()));
        reported.forEach((key, runs) -> table.unsettled(key, state -> {
            ClaimRules.noteAlive(state, runs);
            return runs;
        }));
        return requests.stream().map(this::takeTurn).toList();
    }

    private TurnAnswer takeTurn(TurnRequest request) {
        return table.step(request.key(), state -> ClaimRules.takeTurn(state, request, known(request.run())));
    }

    HeartbeatAnswer heartbeat(HeartbeatRequest request) {
        return table.step(request.key(), state -> ClaimRules.heartbeat(state, request));
    }

    FinishAnswer finish(FinishRequest request) {
        return table.step(request.key(), state -> FinishRules.finish(state, request, known(request.run())));
    }

    CancelAnswer cancel(CancelRequest request) {
        Optional<Run> run = find(request.run());
        if (run.isEmpty()) {
            return new CancelAnswer.Unknown();
        }
        return table.step(
                run.get().key(),
                state -> StopRules.cancel(
                        state, request, table.rows.run(request.run()).orElseGet(run::get)));
    }

    ResourceAnswer setResource(ResourceRequest request) {
        return table.step(request.key(), state -> ResourceRules.set(state, request));
    }

    List<SweepAction> sweep(int limit) {
        table.heard();
        return table.settleDue(null, limit);
    }

    private @Nullable Run known(RunId id) {
        return table.rows.run(id).orElse(null);
    }

    private static Optional<RunId> resulting(SubmitAnswer answer) {
        if (answer instanceof SubmitAnswer.Started started) {
            return Optional.of(started.run().id());
        }
        if (answer instanceof SubmitAnswer.Queued queued) {
            return Optional.of(queued.run().id());
        }
        return answer instanceof SubmitAnswer.Joined joined
                ? Optional.of(joined.run().id())
                : Optional.empty();
    }
}
