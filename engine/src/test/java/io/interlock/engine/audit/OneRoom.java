package io.interlock.engine.audit;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.RunId;
import io.interlock.StoreUnavailableException;
import io.interlock.run.AuditRecord;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunSpec;
import io.interlock.run.Turn;
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.rules.Contents;
import io.interlock.spi.run.rules.Facts;
import io.interlock.spi.run.rules.Room;
import io.interlock.spi.run.rules.Settlement;
import io.interlock.spi.run.rules.Stopping;
import io.interlock.spi.run.rules.Submission;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A store of one key, by the rules of all stores, in which two runs can be made to run at a time. */
final class OneRoom {

    final Map<RunId, Run> runs = new HashMap<>();
    private Contents contents = new Contents(null, 0, null, Map.of(), null);
    private boolean away;

    void isAway(boolean away) {
        this.away = away;
    }

    RunStore store() {
        return (RunStore) Proxy.newProxyInstance(
                RunStore.class.getClassLoader(), new Class<?>[] {RunStore.class}, (proxy, method, arguments) -> {
                    if (away) {
                        throw new StoreUnavailableException("room", "is away");
                    }
                    return switch (method.getName()) {
                        case "findRun" -> Optional.ofNullable(runs.get((RunId) arguments[0]));
                        case "cancel" -> cancel((CancelRequest) arguments[0]);
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });
    }

    /** A run that has the key. */
    Run runs(int number) {
        Room room = room();
        Submission.submit(
                room,
                SubmitRequest.of(TamperedLog.run(number), TamperedLog.KEY, RunSpec.of(new JobName("close"), "alice"))
                        .by(new SubmitRequest.Caller(new LeaseId(new UUID(1, number)), new Holder("host/1", "alice"))));
        keep(room);
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
        Map<RunId, Run> both = new HashMap<>(contents.runs());
        both.put(second.id(), second);
        runs.put(second.id(), second);
        contents = new Contents(contents.lease(), contents.lastToken(), null, both, null);
        return second;
    }

    private Object cancel(CancelRequest request) {
        Room room = room();
        Settlement.settle(room);
        Object answer = Stopping.cancel(room, request, runs.getOrDefault(request.run(), anyRun()));
        keep(room);
        return answer;
    }

    private Run anyRun() {
        return runs.values().iterator().next();
    }

    private Room room() {
        return new Room(new Facts(TamperedLog.KEY, TamperedLog.START, 0, 0, null, List.of(), 0, 1, 0.5), contents);
    }

    private void keep(Room room) {
        contents = room.contents();
        room.changes().runs().forEach(run -> runs.put(run.id(), run));
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
                null));
    }
}
