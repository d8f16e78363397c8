package io.interlock.engine.audit;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.AuditRecord;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.Run.CancelAnswer;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.RunQueries;
import io.interlock.spi.run.RunSteps;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.rules.KeyRows;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.RunQueue;
import io.interlock.spi.run.rules.Settlement;
import io.interlock.spi.run.rules.StepContext;
import io.interlock.spi.run.rules.StepContext.TenantSlots;
import io.interlock.spi.run.rules.StopRules;
import io.interlock.spi.run.rules.SubmitRules;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A store of one key, by the rules of all stores, in which two runs can be made to run at a time. */
final class OneKey {

    private static final TenantSlots NO_LIMIT = new TenantSlots() {
        @Override
        public int busy() {
            return 0;
        }

        @Override
        public @Nullable Rival firstRival(int busy) {
            return null;
        }
    };

    final Map<RunId, Run> runs = new HashMap<>();
    private @Nullable LeaseRow lease;
    private long lastToken;
    private boolean away;

    void isAway(boolean away) {
        this.away = away;
    }

    AuditWatch.OverlapResponse response() {
        return new AuditWatch.OverlapResponse(part(RunSteps.class), part(RunQueries.class));
    }

    private <P> P part(Class<P> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (away) {
                        throw new StoreUnavailableException("key", "is away");
                    }
                    return switch (method.getName()) {
                        case "findRun" -> Optional.ofNullable(runs.get((RunId) arguments[0]));
                        case "cancel" -> cancel((CancelRequest) arguments[0]);
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                }));
    }

    /** A run that has the key. */
    Run runs(int number) {
        KeyState state = load();
        SubmitRules.submit(
                state,
                SubmitRequest.of(TamperedLog.run(number), TamperedLog.KEY, RunSpec.of(new JobName("close"), "alice"))
                        .by(new SubmitRequest.Caller(new LeaseId(new UUID(1, number)), new Holder("host/1", "alice"))));
        keep(state);
        return runs.values().iterator().next();
    }

    /** Another one that counts as running beside {@code first}; no step leads there. */
    Run alsoRuns(int number, Run first) {
        Turn turn = first.status().lastTurn().orElseThrow();
        Turn forged = new Turn(
                1,
                new LeaseId(new UUID(1, number)),
                new FencingToken(turn.token().value() + 1),
                turn.holder(),
                turn.startedAt());
        Run second = new Run(
                TamperedLog.run(number),
                first.key(),
                number,
                first.submittedAt(),
                first.spec(),
                first.line(),
                first.status().started(forged));
        runs.put(second.id(), second);
        return second;
    }

    private CancelAnswer cancel(CancelRequest request) {
        KeyState state = load();
        Settlement.settle(state);
        CancelAnswer answer = StopRules.cancel(state, request, runs.getOrDefault(request.run(), anyRun()));
        keep(state);
        return answer;
    }

    private Run anyRun() {
        return runs.values().iterator().next();
    }

    private KeyState load() {
        StepContext context = new StepContext(
                TamperedLog.KEY,
                TamperedLog.START,
                new StepContext.Tokens(0, 0),
                null,
                TamperedLog.START,
                List.of(),
                NO_LIMIT,
                () -> 1,
                0.5);
        List<Run> running = runs.values().stream()
                .filter(run -> run.state() == RunState.RUNNING)
                .toList();
        return new KeyState(context, new KeyRows(lease, lastToken, null, running, RunQueue.EMPTY, null));
    }

    private void keep(KeyState state) {
        lease = state.lease().orElse(null);
        lastToken = state.lastToken();
        state.changes().runs().forEach(run -> runs.put(run.id(), run));
    }

    /** What is logged when {@code run} begins. */
    static void log(TamperedLog log, Run run) {
        log.append(new AuditRecord(
                0,
                TamperedLog.START,
                run.key(),
                run.id(),
                run.status().lastTurn().orElseThrow().token(),
                "worker",
                "run",
                "PENDING",
                "RUNNING",
                "attempt 1",
                null,
                null));
    }
}
