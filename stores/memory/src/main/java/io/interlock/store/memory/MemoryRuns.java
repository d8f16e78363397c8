package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.CancelAnswer;
import io.interlock.run.Claimed;
import io.interlock.run.FinishAnswer;
import io.interlock.run.HeartbeatAnswer;
import io.interlock.run.MoveAnswer;
import io.interlock.run.Pause;
import io.interlock.run.Resource;
import io.interlock.run.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunPage;
import io.interlock.run.RunQuery;
import io.interlock.run.SweepAction;
import io.interlock.run.TurnAnswer;
import io.interlock.run.Wait;
import io.interlock.spi.Answers;
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.HeartbeatRequest;
import io.interlock.spi.run.MoveRequest;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResourceRequest;
import io.interlock.spi.run.ResumeRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;
import io.interlock.spi.run.rules.ClaimRules;
import io.interlock.spi.run.rules.FinishRules;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.MoveRules;
import io.interlock.spi.run.rules.QueueRules;
import io.interlock.spi.run.rules.ResourceRules;
import io.interlock.spi.run.rules.StopRules;
import io.interlock.spi.run.rules.SubmitRules;
import io.interlock.spi.run.rules.WaitRules;
import io.interlock.time.Environment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The runs of a store in memory, as one client sees them. Steps about runs wait for each other. */
abstract class MemoryRuns extends MemoryLeases implements RunStore {

    MemoryRuns(Environment environment, RunTable table) {
        super(environment, table);
    }

    @Override
    public Answers<SubmitAnswer> submit(List<SubmitRequest> requests) {
        requests.forEach(request -> request.spec().terms().within(table().maxLease()));
        return answer(requests, request -> {
            SubmitAnswer answer = submit(request);
            if (request.spec().policy().supersedes()) {
                wake(request.key());
            }
            return answer;
        });
    }

    SubmitAnswer submit(SubmitRequest request) {
        RunTable table = table();
        return table.step(request.key(), state -> {
            Run known = known(request.id());
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
            resulting(answer).ifPresent(run -> table.rows.remember(name, idempotency, run.id(), now));
            return answer;
        });
    }

    /** An idempotency key of a tenant. */
    NameRows.Name name(LockKey key, SubmitRequest.Idempotency idempotency) {
        return new NameRows.Name(key.tenant(), idempotency.key());
    }

    private static Optional<Run> resulting(SubmitAnswer answer) {
        if (answer instanceof SubmitAnswer.Started started) {
            return Optional.of(started.run());
        }
        if (answer instanceof SubmitAnswer.Queued queued) {
            return Optional.of(queued.run());
        }
        return answer instanceof SubmitAnswer.Joined joined ? Optional.of(joined.run()) : Optional.empty();
    }

    /** Claims are serialised, so that two concurrent equal claims take the same runs. */
    @Override
    public List<Claimed> claim(ClaimRequest request) {
        RunTable table = table();
        synchronized (table.claiming) {
            // Keys that have become free since are claimed at once.
            table.settleDue(request.tenant(), RunTable.MOST_KEYS);
            List<Claimed> before = table.alone(rows -> rows.claimedBy(request.id())).stream()
                    .flatMap(key -> table.step(key, state -> ClaimRules.claimedBefore(state, request)).stream())
                    .toList();
            return before.isEmpty() ? claimAnew(request) : before;
        }
    }

    private List<Claimed> claimAnew(ClaimRequest request) {
        RunTable table = table();
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
        return table().step(run.key(), state -> {
            Optional<Claimed> claimed = ClaimRules.claim(state, request);
            claimed.ifPresent(work ->
                    table().rows.claimed(run.key(), request.id(), work.lease().id()));
            return claimed;
        });
    }

    /**
     * All callers of a batch count as alive before any of its keys is settled, so that no caller that has just
     * reported counts as gone.
     */
    @Override
    public Answers<TurnAnswer> takeTurn(List<TurnRequest> requests) {
        RunTable table = table();
        table.heard();
        Map<LockKey, List<RunId>> reported = new LinkedHashMap<>();
        requests.forEach(request -> reported.computeIfAbsent(request.key(), key -> new ArrayList<>())
                .add(request.run()));
        reported.forEach((key, runs) -> table.unsettled(key, state -> {
            ClaimRules.noteAlive(state, runs);
            return runs;
        }));
        return answer(
                requests,
                request ->
                        table.step(request.key(), state -> ClaimRules.takeTurn(state, request, known(request.run()))));
    }

    @Override
    public Answers<HeartbeatAnswer> heartbeat(List<HeartbeatRequest> requests) {
        return answer(requests, request -> table().step(request.key(), state -> ClaimRules.heartbeat(state, request)));
    }

    @Override
    public Answers<FinishAnswer> finish(List<FinishRequest> requests) {
        return answer(requests, request -> {
            FinishAnswer answer = finish(request);
            wake(request.key());
            return answer;
        });
    }

    FinishAnswer finish(FinishRequest request) {
        return table().step(request.key(), state -> FinishRules.finish(state, request, known(request.run())));
    }

    @Override
    public CancelAnswer cancel(CancelRequest request) {
        CancelAnswer answer = about(request.run(), (state, run) -> StopRules.cancel(state, request, run))
                .orElseGet(CancelAnswer.Unknown::new);
        if (answer instanceof CancelAnswer.Cancelled cancelled) {
            wake(cancelled.run().key());
        } else if (answer instanceof CancelAnswer.StopRequested asked) {
            wake(asked.run().key());
        }
        return answer;
    }

    @Override
    public MoveAnswer moveToFront(MoveRequest request) {
        return about(request.run(), (state, run) -> MoveRules.toFront(state, request, run))
                .orElseGet(MoveAnswer.Unknown::new);
    }

    @Override
    public Pause pause(PauseRequest request) {
        RunTable table = table();
        return table.changePauses(rows -> {
            Instant now = table.now();
            Pause pause = new Pause(
                    request.tenant(),
                    request.pattern(),
                    request.actor().name(),
                    request.reason(),
                    now,
                    request.time() == null ? null : now.plus(request.time()));
            rows.pauses.begin(pause);
            rows.audit.append(pause.begins(request.actor()));
            return pause;
        });
    }

    /** Ends a pause. At most a page of its keys is settled before this returns. */
    @Override
    public boolean resume(ResumeRequest request) {
        RunTable table = table();
        Optional<Pause> pause = table.changePauses(rows -> {
            Instant now = table.now();
            Optional<Pause> over = rows.pauses.end(request.tenant(), request.pattern(), now);
            over.ifPresent(ended -> rows.audit.append(
                    Pause.resumed(request.tenant(), request.pattern(), request.actor(), request.reason(), now)));
            return over;
        });
        pause.ifPresent(over -> {
            table.settleAfter(over);
            table.wakeWorkers(over.tenant());
        });
        return pause.isPresent();
    }

    @Override
    public List<SweepAction> sweepRuns(int limit) {
        table().heard();
        return table().settleDue(null, limit);
    }

    @Override
    public ResourceAnswer setResource(ResourceRequest request) {
        return table().step(request.key(), state -> ResourceRules.set(state, request));
    }

    @Override
    public Optional<Run> findRun(RunId id) {
        return alone(rows -> rows.run(id));
    }

    @Override
    public List<Run> queue(LockKey key) {
        if (!table().rows.know(key)) {
            return List.of();
        }
        table().step(key, KeyState::now);
        return alone(rows -> rows.waiting(key).stream()
                .sorted(QueueRules.readyFirst(table().now()))
                .toList());
    }

    @Override
    public Optional<Wait> explain(RunId id) {
        return findRun(id)
                .flatMap(run -> table().step(
                                run.key(),
                                state -> WaitRules.explain(
                                        state, id, table().rows.history.pastRuntimes(run.key()))));
    }

    @Override
    public List<Attempt> attempts(RunId id) {
        return alone(rows -> rows.history.attempts(id));
    }

    @Override
    public Optional<Resource> resource(LockKey key) {
        return alone(rows -> rows.resource(key));
    }

    @Override
    public RunPage listRuns(RunQuery query) {
        return alone(rows -> RunPage.of(rows.history.list(query), query.limit()));
    }

    @Override
    public List<AuditRecord> audit(LockKey key) {
        return alone(rows -> rows.audit.of(key));
    }

    /** One step on the key of a run, if there is such a run. */
    <A> Optional<A> about(RunId id, BiFunction<KeyState, Run, A> rule) {
        return findRun(id)
                .flatMap(run ->
                        table().step(run.key(), state -> table().rows.run(id).map(known -> rule.apply(state, known))));
    }

    /** Reads or changes data that belongs to no key, exclusively. */
    <T extends @Nullable Object> T alone(Function<RunRows, T> step) {
        return table().alone(step);
    }

    private @Nullable Run known(RunId id) {
        return table().rows.run(id).orElse(null);
    }
}
